import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { runServer } from '../../support/command.ts';

const file = inProject('test/lab/judge/judged/right-row-lock.ts');

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
  ['there is no file', ['no-such.ts'], {}, /^There is no file no-such\.ts\.\n$/],
  ['it is a folder', [path.dirname(file)], {}, /is no TypeScript or JavaScript file\.\n$/],
  ['the chapter is unknown', [file, '--chapter', 'x'], {}, /^There is no chapter "x"\. .+\n$/],
])('npm start refuses --strategy if %s', async (_, [name = '', ...more], env, words) => {
  expect(await refusalOf(['--strategy', name, ...more], env)).toMatch(words);
});
