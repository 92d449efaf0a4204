import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/service/config/config.ts';
import { defaultSettings, settingNames } from '../../../src/service/config/settings.ts';

test('the default is a workshop on loopback with the embedded database', () => {
  expect(parseConfig({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: undefined,
    directUrl: undefined,
    pooler: undefined,
    migrates: true,
    dataDir: expect.stringMatching(/\.rowlock$/),
    lab: true,
    logLevel: 'info',
    keyHours: 24,
    offerMinutes: 15,
    eventDays: 30,
    places: 4,
    workerName: undefined,
    workerPort: 3010,
    taskHours: 24,
    auth: { kind: 'loopback' },
    scraping: { token: undefined, port: undefined, host: '127.0.0.1' },
    corsOrigins: [],
    rateLimit: 0,
    webhookLoopback: true,
    redis: { url: undefined, program: 'redis-server' },
    etcd: { url: undefined, program: 'etcd' },
  });
});

const DB = 'postgres://me:hunter2@db.example:6432/jobs';

test('the workshop is off with DATABASE_URL, unless LAB turns the workshop on', () => {
  const DATABASE_URL = 'postgres://me:pw@db.example:5433/jobs';
  expect(parseConfig({ DATABASE_URL })).toMatchObject({ databaseUrl: DATABASE_URL, lab: false });
  expect(parseConfig({ DATABASE_URL, LAB: 'on' }).lab).toBe(true);
  expect(parseConfig({ LAB: 'off' }).lab).toBe(false);
});

test('DATABASE_POOLER says that the pooler at DATABASE_URL is in transaction mode', () => {
  const env = { DATABASE_URL: DB, DATABASE_POOLER: 'transaction' };
  expect(parseConfig(env)).toMatchObject({ databaseUrl: DB, pooler: 'transaction', lab: false });
});

test('DATABASE_URL may have several hosts, and DATABASE_URL_DIRECT is an address without the pooler', () => {
  const env = { DATABASE_URL: 'postgres://p1:6432,p2:6432/jobs', DATABASE_URL_DIRECT: DB };
  expect(parseConfig(env)).toMatchObject({ databaseUrl: env.DATABASE_URL, directUrl: DB });
});

test('webhooks may go to this machine only without DATABASE_URL, unless WEBHOOK_LOOPBACK decides otherwise', () => {
  const DATABASE_URL = 'postgres://me:pw@db.example:5433/jobs';
  expect(parseConfig({ DATABASE_URL }).webhookLoopback).toBe(false);
  expect(parseConfig({ DATABASE_URL, WEBHOOK_LOOPBACK: 'on' }).webhookLoopback).toBe(true);
  expect(parseConfig({ WEBHOOK_LOOPBACK: 'off' }).webhookLoopback).toBe(false);
});

const SECRET = 'hunter2'.repeat(5);
const JWKS = 'https://login.example/jwks.json';

test('AUTH_JWT_SECRET or AUTH_JWKS_URL turns on tokens, and a rate limit for each caller', () => {
  const checks = { AUTH_AUDIENCE: 'rowlock', AUTH_ISSUER: 'https://login.example' };
  expect(parseConfig({ AUTH_JWT_SECRET: SECRET, ...checks })).toMatchObject({
    auth: { kind: 'secret', secret: SECRET, audience: 'rowlock', issuer: 'https://login.example' },
    rateLimit: 1200,
  });
  expect(parseConfig({ AUTH_JWKS_URL: JWKS, RATE_LIMIT: '0' })).toMatchObject({
    auth: { kind: 'jwks', url: JWKS },
    rateLimit: 0,
  });
});

test('the metrics may have a token or a port of their own', () => {
  const env = { AUTH_JWT_SECRET: SECRET, METRICS_TOKEN: SECRET, METRICS_PORT: '9464' };
  const scraping = { token: SECRET, port: 9464, host: '127.0.0.1' };
  expect(parseConfig(env)).toMatchObject({ scraping });
});

test('AUTH=off turns off tokens, and a service without tokens limits rates only if RATE_LIMIT is set', () => {
  expect(parseConfig({ AUTH: 'off' })).toMatchObject({ auth: { kind: 'off' }, rateLimit: 0 });
  expect(parseConfig({ RATE_LIMIT: '5' }).rateLimit).toBe(5);
});

test('CORS_ORIGINS can list several origins', () => {
  expect(parseConfig({ CORS_ORIGINS: 'https://jobs.example, http://[::1]:5173' })).toMatchObject({
    corsOrigins: ['https://jobs.example', 'http://[::1]:5173'],
  });
});

test.each([
  [{ PORT: 'abc' }, 'PORT must be'],
  [{ PORT: '65536' }, 'PORT must be'],
  [{ PORT: '-1' }, 'PORT must be'],
  [{ PORT: '80.5' }, 'PORT must be'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
  [{ KEY_HOURS: '0' }, 'KEY_HOURS must be'],
  [{ KEY_HOURS: '8761' }, 'KEY_HOURS must be'],
  [{ EVENT_DAYS: '0' }, 'EVENT_DAYS must be'],
  [{ EVENT_DAYS: '3651' }, 'EVENT_DAYS must be'],
  [{ WORKERS: '-1' }, 'WORKERS must be'],
  [{ WORKERS: '1001' }, 'WORKERS must be'],
  [{ WORKERS: 'four' }, 'WORKERS must be'],
  [{ WORKER_NAME: 'the hunter2' }, 'WORKER_NAME must have'],
  [{ WORKER_NAME: 'hunter2'.repeat(15) }, 'WORKER_NAME must have'],
  [{ WORKER_PORT: '65536' }, 'WORKER_PORT must be'],
  [{ TASK_HOURS: '0' }, 'TASK_HOURS must be'],
  [{ TASK_HOURS: '8761' }, 'TASK_HOURS must be'],
  [{ LAB: 'yes' }, 'LAB must be on or off'],
  [{ DATABASE_URL: 'mysql://me:hunter2@host/x' }, 'DATABASE_URL must look like'],
  [{ DATABASE_URL: 'postgres://me:hunter2%zz@host/x' }, 'DATABASE_URL must look like'],
  [{ DATABASE_URL: 'postgres://me:hunter2@one,,two/x' }, 'DATABASE_URL must look like'],
  [{ DATABASE_URL_DIRECT: DB }, 'DATABASE_URL_DIRECT leads past'],
  [{ DATABASE_URL: 'hunter2' }, 'DATABASE_URL must look like'],
  [{ DATABASE_POOLER: 'session' }, 'DATABASE_POOLER must be transaction'],
  [{ DATABASE_POOLER: 'transaction' }, 'DATABASE_POOLER describes DATABASE_URL'],
  [{ DATABASE_URL: DB, DATABASE_POOLER: 'transaction', LAB: 'on' }, 'LAB=on contradicts'],
  [{ AUTH: 'on' }, 'AUTH must be off'],
  [{ AUTH_JWKS_URL: 'hunter2' }, 'AUTH_JWKS_URL must look like'],
  [{ AUTH_JWKS_URL: 'ftp://login.example/hunter2' }, 'AUTH_JWKS_URL must look like'],
  [{ AUTH_JWKS_URL: 'https://me:hunter2@login.example/' }, 'AUTH_JWKS_URL must look like'],
  [{ AUTH_JWT_SECRET: 'hunter2'.repeat(4) }, 'AUTH_JWT_SECRET must have at least 32 bytes'],
  [{ AUTH_JWT_SECRET: SECRET, AUTH_JWKS_URL: JWKS }, 'exclude each other'],
  [{ AUTH_JWT_SECRET: SECRET, AUTH: 'off' }, 'AUTH=off contradicts'],
  [{ AUTH_JWKS_URL: JWKS, AUTH: 'off' }, 'AUTH=off contradicts'],
  [{ AUTH_AUDIENCE: 'hunter2' }, 'AUTH_AUDIENCE and AUTH_ISSUER are checked in tokens'],
  [{ AUTH_ISSUER: 'hunter2', AUTH: 'off' }, 'AUTH_AUDIENCE and AUTH_ISSUER are checked in tokens'],
  [{ MIGRATE: 'no' }, 'MIGRATE must be on or off'],
  [{ MIGRATE: 'off' }, 'MIGRATE=off needs DATABASE_URL'],
  [{ METRICS_TOKEN: 'hunter2' }, 'METRICS_TOKEN must have at least 16'],
  [{ METRICS_TOKEN: SECRET }, 'METRICS_TOKEN protects nothing'],
  [{ METRICS_TOKEN: SECRET, AUTH: 'off' }, 'METRICS_TOKEN protects nothing'],
  [{ METRICS_PORT: '65536' }, 'METRICS_PORT must be'],
  [{ CORS_ORIGINS: '*' }, 'CORS_ORIGINS must look like'],
  [{ CORS_ORIGINS: 'null' }, 'CORS_ORIGINS must look like'],
  [{ CORS_ORIGINS: 'https://jobs.example/' }, 'CORS_ORIGINS must look like'],
  [{ CORS_ORIGINS: 'https://jobs.example:443' }, 'CORS_ORIGINS must look like'],
  [{ CORS_ORIGINS: 'https://jobs.example,,https://a.example' }, 'CORS_ORIGINS must look like'],
  [{ CORS_ORIGINS: 'file:///hunter2' }, 'CORS_ORIGINS must look like'],
  [{ RATE_LIMIT: '-1' }, 'RATE_LIMIT must be'],
  [{ REDIS_URL: 'http://hunter2' }, 'REDIS_URL must look like'],
  [{ ETCD_URL: 'hunter2:2379' }, 'ETCD_URL must look like'],
  [{ ETCD_URL: 'http://me:hunter2@etcd:2379' }, 'ETCD_URL must look like'],
  [{ RATE_LIMIT: '1.5' }, 'RATE_LIMIT must be'],
])('%j is refused in one line that names the setting, but not its value', (env, words) => {
  expect(() => parseConfig(env)).toThrow(words);
  expect(() => parseConfig(env)).not.toThrow(/hunter2/);
});

test('one error names all wrong settings', () => {
  expect(() => parseConfig({ PORT: 'x', LAB: 'x' })).toThrow(/PORT.*\n.*LAB/);
});

test('.env.example names every setting, and is valid', () => {
  const example = parseEnv(readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8'));
  expect(new Set(Object.keys(example))).toEqual(new Set(settingNames));
  expect(parseConfig(example as Record<string, string>)).toEqual(parseConfig({}));
});

describe('the table of settings in docs/operations.md', () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const table = page.split('\n## Settings\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)?[^|]*\|/gm)];

  test('names every setting once, and nothing else', () => {
    expect(rows.map(([, name]) => name).sort()).toEqual([...settingNames].sort());
  });

  test.each(rows.map(([, name = '', value]) => [name, value]))(
    'gives the default of %s',
    (name, value) => {
      if (value === undefined) expect(String(defaultSettings[name] ?? '')).toBe('');
      else expect(parseConfig({ [name]: value })).toEqual(parseConfig({}));
    },
  );
});

test('a build without the lab refuses LAB=on, and needs no LAB=off', () => {
  const build = { hasLab: false };
  expect(() => parseConfig({ LAB: 'on' }, build)).toThrow(
    'LAB=on needs the lab, and this build was made without the lab.',
  );
  expect(parseConfig({}, build).lab).toBe(false);
});
