import { expect, test } from 'vitest';
import { ownCode } from '../../../src/lab/of-server.ts';
import { parseConfig } from '../../../src/service/config/config.ts';
import { FILE, NAIVE } from '../../support/refusal.ts';

// test/slow/lab/own/refused.test.ts starts a server for each reason, and has more reasons.
const NONE = {
  ...{ strategy: undefined, server: undefined, module: undefined, answers: undefined },
  ...{ schema: undefined, invariant: undefined, chapter: 'claims' },
};
const STRATEGY = { ...NONE, strategy: FILE };
const MODULE = { ...NONE, module: NAIVE };
const NO_WORKSHOP = 'needs workshop mode. LAB=on starts this mode.';
const NO_LOOPBACK = 'runs code on this machine, so it works on loopback only.';

const REASONS: [why: string, env: Record<string, string>, words: string][] = [
  ['workshop mode is off', { LAB: 'off' }, NO_WORKSHOP],
  ['the database is not embedded', { DATABASE_URL: 'postgres://localhost/x' }, NO_WORKSHOP],
  ['a proxy may forward tokens', { AUTH_JWT_SECRET: 'x'.repeat(32) }, NO_LOOPBACK],
  ['other machines reach the service', { HOST: '0.0.0.0', AUTH: 'off' }, NO_LOOPBACK],
];

test.each(REASONS)('the server accepts no code of a student if %s', (_, env, words) => {
  const config = parseConfig(env);
  expect(() => ownCode(STRATEGY, config)).toThrow(`--strategy ${words}`);
  expect(() => ownCode(MODULE, config)).toThrow(`--module ${words}`);
});

test('the server in workshop mode on loopback accepts a strategy or a module of a student', () => {
  const config = parseConfig({});
  expect(ownCode(STRATEGY, config)).toEqual({ file: FILE, chapter: 'claims' });
  expect(ownCode(MODULE, config)).toMatchObject({ program: { module: NAIVE } });
});
