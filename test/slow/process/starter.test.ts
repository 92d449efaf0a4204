import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Command, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

interface Listed {
  pid: number;
  parent: number;
  words: string;
}

const processes = (): Listed[] =>
  execFileSync('ps', ['-ww', '-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().match(/^(\d+) +(\d+) (.*)$/) ?? [])
    .map(([, pid, parent, words = '']) => ({ pid: Number(pid), parent: Number(parent), words }));

/** Waits until node runs this program below npm's shell. Returns the id of the shell. */
const shellOf = (npm: Command, program: string): Promise<number> =>
  vi.waitFor(
    () => {
      const all = processes();
      const shell = all.find(({ parent }) => parent === npm.child.pid);
      if (shell === undefined) throw new Error('npm has no shell yet');
      // Some shells replace themselves with the program. The build has an npm of its own.
      const below = [shell];
      for (const { pid } of below) below.push(...all.filter(({ parent }) => parent === pid));
      expect(below.map(({ words }) => words)).toContainEqual(
        expect.stringMatching(new RegExp(`^\\S*node .*${program}`)),
      );
      return shell.pid;
    },
    { timeout: 40_000, interval: 5 },
  );

/** Every process of npm keeps npm's output open, so the output ends with the last process. */
const untilListening = (npm: Command, words: RegExp): Promise<string> =>
  npm.says(words).then(
    () => 'it goes on',
    () => 'all have ended',
  );

describe.concurrent('every process of npm start ends without npm, however early', () => {
  test.each([
    ['npm', 'SIGKILL', 'scripts/build-if-possible.mjs'],
    ['npm', 'SIGTERM', 'scripts/build-if-possible.mjs'],
    ['its shell', 'SIGKILL', 'scripts/build-if-possible.mjs'],
    ['npm', 'SIGKILL', 'dist/server.js'],
    ['npm', 'SIGTERM', 'dist/server.js'],
    ['its shell', 'SIGKILL', 'dist/server.js'],
  ] as const)('if %s is ended by %s while %s begins', async (whom, signal, program) => {
    const npm = start('npm', ['start'], { DATABASE_URL: databaseUrl, PORT: '0' });
    const shell = await shellOf(npm, program);
    process.kill(whom === 'npm' ? (npm.child.pid as number) : shell, signal);
    expect(await untilListening(npm, /listens on/)).toBe('all have ended');
  });
});

test.concurrent('a race demo ends without npm, even before its race', async () => {
  const DATABASE_URL = inject('scratchUrl');
  const npm = start('npm', ['run', 'race-demo', '--', '--rounds', '5'], { DATABASE_URL });
  await shellOf(npm, 'scripts/race-demo.ts');
  npm.child.kill('SIGKILL');
  expect(await untilListening(npm, /recruiters claim one job/)).toBe('all have ended');
});

test.concurrent('a server that listens ends if npm is ended', async () => {
  const npm = start('npm', ['start'], { DATABASE_URL: databaseUrl, PORT: '0' });
  const [, url = ''] = await npm.says(/listens on (\S+)/);
  npm.child.kill('SIGTERM');
  await npm.says(/Stopped\./);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});
