import { execFileSync } from 'node:child_process';
import { expect, vi } from 'vitest';
import { type Command, start } from './command.ts';
import { programFile } from './program.ts';

interface Listed {
  pid: number;
  parent: number;
  words: string;
}

const processes = (): Listed[] =>
  execFileSync(programFile('ps'), ['-ww', '-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().match(/^(\d+) +(\d+) (.*)$/) ?? [])
    .map(([, pid, parent, words = '']) => ({ pid: Number(pid), parent: Number(parent), words }));

/**
 * Waits until node runs this program below npm's shell. Returns the id of the shell. The test needs
 * the tag `ps`.
 */
export const shellOf = (npm: Command, program: string): Promise<number> =>
  vi.waitFor(
    () => {
      const all = processes();
      const shell = all.find(({ parent }) => parent === npm.child.pid);
      if (shell === undefined) throw new Error('npm has no shell yet');
      // Some shells replace themselves with the program. The build runs a second npm.
      const below = [shell];
      for (const { pid } of below) below.push(...all.filter(({ parent }) => parent === pid));
      expect(below.map(({ words }) => words)).toContainEqual(
        expect.stringMatching(new RegExp(`^\\S*node .*${program}`)),
      );
      return shell.pid;
    },
    { timeout: 40_000, interval: 5 },
  );

/**
 * Waits for `words` in npm's output, or for the end of all its processes. The output ends only with
 * the last process, because every process keeps the output open.
 */
export const untilListening = (npm: Command, words: RegExp): Promise<string> =>
  npm.says(words).then(
    () => 'it goes on',
    () => 'all have ended',
  );

export type Begin = [whom: 'npm' | 'its shell', signal: 'SIGKILL' | 'SIGTERM', program: string];

/** Ends npm or its shell while `npm start` begins. Asserts that all its processes end. */
export async function expectEnd(databaseUrl: string, ...[whom, signal, program]: Begin) {
  const npm = start('npm', ['start'], { DATABASE_URL: databaseUrl, PORT: '0' });
  const shell = await shellOf(npm, program);
  process.kill(whom === 'npm' ? (npm.child.pid as number) : shell, signal);
  expect(await untilListening(npm, /listens on/)).toBe('all have ended');
}
