import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { isRunning, makeTmpDir, run } from '../../support/command.ts';
import { programFile } from '../../support/program.ts';

test.concurrent.each([
  ['SIGINT', { code: 130, signal: null }],
  ['SIGKILL', { code: null, signal: 'SIGKILL' }],
] as const)(
  '%s ends the bench with its servers, its load and its database',
  { tags: ['ps'] },
  async (signal, ending) => {
    const TMPDIR = makeTmpDir();
    const { child, ended } = run('scripts/bench.ts', ['--seconds', '600', '--scenario', 'hot'], {
      TMPDIR,
    });
    // The four children are the guard of PostgreSQL, the two servers and the load. The compiler may
    // run for a moment as well.
    const begun = await vi.waitFor(
      () => {
        const children = childrenOf(child.pid as number);
        expect(children).toHaveLength(4);
        return children;
      },
      { timeout: 30_000 },
    );
    child.kill(signal);
    // After SIGKILL, the load process keeps the output open for a moment.
    expect(await ended).toEqual(ending);
    const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('rowlock-'));
    if (signal === 'SIGKILL')
      await vi.waitFor(() => expect([begun.filter(isRunning), left()]).toEqual([[], []]), 30_000);
    expect([begun.filter(isRunning), left()]).toEqual([[], []]);
  },
);

const childrenOf = (pid: number): number[] =>
  execFileSync(programFile('ps'), ['-e', '-o', 'ppid=,pid=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([parent, , program]) => Number(parent) === pid && !program?.includes('esbuild'))
    .map(([, child]) => Number(child));
