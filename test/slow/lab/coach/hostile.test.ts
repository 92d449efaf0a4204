import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { dropLeftovers } from '../../../../src/postgres/scratch.ts';
import { inProject } from '../../../../src/process/project.ts';
import { atEnd, isRunning, makeTmpDir, start } from '../../../support/command.ts';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Judges a text once, as the student's file of lesson 4. */
function judge(text: string) {
  const folder = makeTmpDir();
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  writeFileSync(path.join(folder, 'workshop/mine/04-the-lock.ts'), text);
  const args = ['--import', tsx, inProject('scripts/workshop.ts'), '--lesson', '4'];
  return start(process.execPath, args, { DATABASE_URL: inject('scratchUrl') }, folder);
}

/** An endless file is ended after five seconds on the processor. On a busy machine this takes long. */
const SLOW = { timeout: 300_000 };

const withLine = (line: string) => `export default async () => {
  ${line}
  return { kind: 'busy' };
};
`;

/** All processes that a process has started, and those that they have started. */
function descendantsOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

test.each([
  ['never ends', 'while (true) {}', /04-the-lock\.ts: it never ends\. Is there a loop/],
  [
    'ends the process',
    'process.exit(0);',
    /04-the-lock\.ts: it ends the whole process, with code 0/,
  ],
  [
    'prints 100 MB',
    "for (let i = 0; i < 100; i++) console.log('x'.repeat(1e6));",
    /^(NOT YET|SOLVED)\./m,
  ],
])('a file that %s gets a clear line', SLOW, async (_, line, words) => {
  const judging = judge(withLine(line));
  await judging.ended;
  const [, ...answer] = judging.stdout().trimEnd().split('\n');
  expect(answer.join('\n'), judging.stderr()).toMatch(words);
  if (!/NOT YET/.test(answer.at(-1) ?? '')) expect(answer).toHaveLength(1);
});

test('a killed coach leaves no process, though the file never ends', SLOW, async () => {
  atEnd(() => dropLeftovers(inject('scratchUrl')));
  const { child, ended } = judge(withLine('while (true) {}'));
  const pid = child.pid ?? 0;
  const busy = () => descendantsOf(pid).filter((each) => usedSeconds(each) >= 2);
  await expect.poll(busy, { timeout: 120_000 }).not.toEqual([]);
  const started = descendantsOf(pid);
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => started.filter(isRunning), { timeout: 120_000 }).toEqual([]);
});

/** The seconds that a process has used a processor. */
function usedSeconds(pid: number): number {
  const said = execFileSync('ps', ['-o', 'times=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(said.trim());
}
