import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { runServer } from '../../support/command.ts';

const file = inProject('test/lab/judge/judged/right-row-lock.ts');

const lineOf = (text: string) => new RegExp(`^${text.replaceAll('.', '\\.')}\n$`);

/** The output of a server that must not start. */
async function refusalOf(args: string[], env: Record<string, string> = {}) {
  const server = runServer(env, args);
  expect(await server.ended).toEqual({ code: 2, signal: null });
  expect(server.stdout()).toBe('');
  return server.stderr();
}

test.concurrent.each<[why: string, args: string[], env: Record<string, string>, words: RegExp]>([
  [
    'workshop mode is off',
    [file],
    { LAB: 'off' },
    /^--strategy needs workshop mode\. LAB=on .+\n$/,
  ],
  [
    'the database is not embedded, as in production',
    [file],
    { DATABASE_URL: 'postgres://localhost/x' },
    /^--strategy needs workshop mode\. LAB=on .+\n$/,
  ],
  [
    'other machines reach the service',
    [file],
    { HOST: '0.0.0.0', AUTH: 'off' },
    /^--strategy runs code on this machine, so it works on loopback only\.\n$/,
  ],
  [
    'a proxy may forward requests with tokens',
    [file],
    { AUTH_JWT_SECRET: 'x'.repeat(32) },
    /^--strategy runs code on this machine, so it works on loopback only\.\n$/,
  ],
  ['there is no file', ['no-such.ts'], {}, lineOf(`There is no file ${inProject('no-such.ts')}.`)],
  [
    'there is no file in the folder in which a person called npm',
    ['no-such.ts'],
    { INIT_CWD: tmpdir() },
    lineOf(`There is no file ${path.join(tmpdir(), 'no-such.ts')}.`),
  ],
  ['it is a folder', [path.dirname(file)], {}, /is no TypeScript or JavaScript file\.\n$/],
  ['the chapter is unknown', [file, '--chapter', 'x'], {}, /^There is no chapter "x"\. .+\n$/],
])('npm start refuses --strategy if %s', async (_, [name = '', ...more], env, words) => {
  expect(await refusalOf(['--strategy', name, ...more], env)).toMatch(words);
});

const NAIVE = inProject('test/lab/programs/functions/naive.mjs');

test.concurrent.each<[why: string, args: string[], env: Record<string, string>, words: RegExp]>([
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
    'there is a strategy too',
    ['--strategy', file, '--module', NAIVE],
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
    'the schema has no invariant',
    ['--module', NAIVE, '--schema', 'schema.sql'],
    {},
    /^--schema and --invariant are given together\.\n$/,
  ],
])('npm start refuses a program if %s', async (_, args, env, words) => {
  expect(await refusalOf(args, env)).toMatch(words);
});
