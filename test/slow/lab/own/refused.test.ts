import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { expectRefusal, FILE, NAIVE, type Refused } from '../../../support/refusal.ts';

const lineOf = (text: string) => new RegExp(`^${text.replaceAll('.', '\\.')}\n$`);

test.concurrent.each<Refused>([
  [
    'workshop mode is off',
    [FILE],
    { LAB: 'off' },
    /^--strategy needs workshop mode\. LAB=on .+\n$/,
  ],
  [
    'the database is not embedded, as in production',
    [FILE],
    { DATABASE_URL: 'postgres://localhost/x' },
    /^--strategy needs workshop mode\. LAB=on .+\n$/,
  ],
  [
    'a proxy may forward requests with tokens',
    [FILE],
    { AUTH_JWT_SECRET: 'x'.repeat(32) },
    /^--strategy runs code on this machine, so it works on loopback only\.\n$/,
  ],
  [
    'other machines reach the service',
    [FILE],
    { HOST: '0.0.0.0', AUTH: 'off' },
    /^--strategy runs code on this machine, so it works on loopback only\.\n$/,
  ],
  ['there is no file', ['no-such.ts'], {}, lineOf(`There is no file ${inProject('no-such.ts')}.`)],
  [
    'there is no file in the folder in which a person called npm',
    ['no-such.ts'],
    { INIT_CWD: tmpdir() },
    lineOf(`There is no file ${path.join(tmpdir(), 'no-such.ts')}.`),
  ],
  ['the path is a folder', [path.dirname(FILE)], {}, /is no TypeScript or JavaScript file\.\n$/],
  ['the chapter is unknown', [FILE, '--chapter', 'x'], {}, /^There is no chapter "x"\. .+\n$/],
])('npm start refuses --strategy if %s', async (_, [name = '', ...more], env, words) => {
  await expectRefusal(['--strategy', name, ...more], env, words);
});

test.concurrent.each<Refused>([
  [
    'workshop mode is off',
    ['--server', 'go run .'],
    { LAB: 'off' },
    /^--server needs workshop mode\. LAB=on .+\n$/,
  ],
  [
    'other machines reach the service',
    ['--module', NAIVE],
    { HOST: '0.0.0.0', AUTH: 'off' },
    /^--module runs code on this machine, so it works on loopback only\.\n$/,
  ],
  [
    'a proxy may forward requests with tokens',
    ['--server', 'go run .'],
    { AUTH_JWT_SECRET: 'x'.repeat(32) },
    /^--server runs code on this machine, so it works on loopback only\.\n$/,
  ],
  [
    'there is no file',
    ['--module', 'none.mjs'],
    {},
    lineOf(`There is no file ${inProject('none.mjs')}.`),
  ],
  [
    '--strategy is given too',
    ['--strategy', FILE, '--module', NAIVE],
    {},
    /^Only one of --strategy, --server and --module can be given\.\n$/,
  ],
  [
    'the chapter has no programs',
    ['--server', 'go run .', '--chapter', 'queue'],
    {},
    /^A program cannot be tried in queue\. It can be tried in claims\.\n$/,
  ],
  [
    '--schema is given without --invariant',
    ['--module', NAIVE, '--schema', 'schema.sql'],
    {},
    /^--schema and --invariant must be given together\.\n$/,
  ],
])('npm start refuses a program if %s', (_, args, env, words) => expectRefusal(args, env, words));
