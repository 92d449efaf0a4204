import { execFileSync } from 'node:child_process';
import { expect, inject, test } from 'vitest';
import { dropLeftovers } from '../../../../src/platform/postgres/scratch.ts';
import { atEnd, isRunning } from '../../../support/command.ts';
import { expectClearLine, judgeOnce, withLine } from '../../../support/judged-once.ts';
import { programFile } from '../../../support/program.ts';

/** Returns the children of a process, the children of these children, and so on. */
function descendantsOf(pid: number): number[] {
  const rows = execFileSync(programFile('ps'), ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

// test/campaigns/lab/coach/hostile.test.ts has files that never end, or print much.
test('a student whose file ends its process gets a clear line', () =>
  expectClearLine('process.exit(0);', /04-the-lock\.ts: it ends the whole process, with code 0/));

test('a killed coach leaves no process of a file that never ends', { tags: ['ps'] }, async () => {
  atEnd(() => dropLeftovers(inject('scratchUrl')));
  const { child, ended } = judgeOnce(withLine('while (true) {}'));
  const pid = child.pid ?? 0;
  const busy = () => descendantsOf(pid).filter((each) => usedSeconds(each) >= 2);
  await expect.poll(busy, { timeout: 120_000 }).not.toEqual([]);
  const started = descendantsOf(pid);
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => started.filter(isRunning), { timeout: 120_000 }).toEqual([]);
});

/** Returns the seconds of processor time that a process has used. */
function usedSeconds(pid: number): number {
  const said = execFileSync(programFile('ps'), ['-o', 'times=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  return Number(said.trim());
}
