import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { defaultSettings, parseConfig, settingNames } from '../src/config.ts';

test('without any setting it is a workshop on loopback with the embedded database', () => {
  expect(parseConfig({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: undefined,
    dataDir: expect.stringMatching(/\.rowlock$/),
    lab: true,
    logLevel: 'info',
    keyHours: 24,
  });
});

test('with a database of your own the workshop is off unless it is turned on', () => {
  const DATABASE_URL = 'postgres://me:pw@db.example:5433/jobs';
  expect(parseConfig({ DATABASE_URL })).toMatchObject({ databaseUrl: DATABASE_URL, lab: false });
  expect(parseConfig({ DATABASE_URL, LAB: 'on' }).lab).toBe(true);
  expect(parseConfig({ LAB: 'off' }).lab).toBe(false);
});

test.each([
  [{ PORT: 'abc' }, 'PORT must be'],
  [{ PORT: '65536' }, 'PORT must be'],
  [{ PORT: '-1' }, 'PORT must be'],
  [{ PORT: '80.5' }, 'PORT must be'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
  [{ KEY_HOURS: '0' }, 'KEY_HOURS must be'],
  [{ KEY_HOURS: '8761' }, 'KEY_HOURS must be'],
  [{ LAB: 'yes' }, 'LAB must be on or off'],
  [{ DATABASE_URL: 'mysql://me:hunter2@host/x' }, 'DATABASE_URL must look like'],
  [{ DATABASE_URL: 'postgres://me:hunter2%zz@host/x' }, 'DATABASE_URL must look like'],
  [{ DATABASE_URL: 'postgres://me:hunter2@one,two/x' }, 'DATABASE_URL must look like'],
  [{ DATABASE_URL: 'hunter2' }, 'DATABASE_URL must look like'],
])('%j is refused in a line that names the setting and not its value', (env, words) => {
  expect(() => parseConfig(env)).toThrow(words);
  expect(() => parseConfig(env)).not.toThrow(/hunter2/);
});

test('every wrong setting is named at once', () => {
  expect(() => parseConfig({ PORT: 'x', LAB: 'x' })).toThrow(/PORT.*\n.*LAB/);
});

test('.env.example names every setting there is, and is valid as it stands', () => {
  const example = parseEnv(readFileSync(new URL('../.env.example', import.meta.url), 'utf8'));
  expect(new Set(Object.keys(example))).toEqual(new Set(settingNames));
  expect(parseConfig(example as Record<string, string>)).toEqual(parseConfig({}));
});

describe("the README's table of settings", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = readme.split('\n## Settings\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)?[^|]*\|/gm)];

  test('names every setting once, and no other', () => {
    expect(rows.map(([, name]) => name).sort()).toEqual([...settingNames].sort());
  });

  test.each(rows.map(([, name = '', value]) => [name, value]))(
    'says what %s is by default',
    (name, value) => {
      if (value === undefined) expect(defaultSettings[name]).toBeUndefined();
      else expect(parseConfig({ [name]: value })).toEqual(parseConfig({}));
    },
  );
});
