import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drizzleDatabases } from '../src/explorer/databases.ts';
import type { ExploreOptions } from '../src/explorer/explore.ts';
import { compareWith, type Difference } from '../src/explorer/isolation/compare.ts';
import { type Plan, planOf } from '../src/explorer/isolation/plan.ts';
import { record } from '../src/explorer/isolation/record.ts';
import { specOf } from '../src/explorer/isolation/spec.ts';
import { Stage } from '../src/explorer/stage.ts';
import type { Chapter, Situation, Strategy } from '../src/lab/chapter.ts';
import { addressOf } from '../src/lab/chapters/index.ts';
import { findIsolationTester } from '../src/platform/postgres/isolation-tester.ts';
import { PlainError, UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { withTwoScratchDatabases } from './arena.ts';

interface Asked {
  chapter: Chapter;
  strategies: readonly Strategy[];
  situation: Situation;
  sessions: number;
}

type AskedOne = Omit<Asked, 'strategies'> & { strategy: Strategy };

/**
 * Explores each strategy, and plays the same schedules with PostgreSQL's own tester. Writes the
 * spec and the output of each strategy into the folder. Returns the exit code: 0 if the results of
 * all schedules agree, and 1 if the results of a schedule differ.
 */
export async function checkByTester(folder: string, asked: Asked, stop: AbortSignal) {
  const tester = findIsolationTester();
  if (!tester)
    throw new PlainError('There is no isolationtester. The embedded PostgreSQL for Linux has one.');
  await orUsage(makeFolder(folder));
  return withTwoScratchDatabases(stop, async ([ours = '', theirs = '']) => {
    const stage = new Stage(ours, drizzleDatabases());
    const play = (spec: string) => tester(theirs, spec, stop);
    let code = 0;
    try {
      for (const strategy of asked.strategies) {
        const one = { ...asked, strategy };
        const plan = await planAloud(stage, one, stop);
        const difference = await compareWith(plan, () => played(plan, one, folder, play));
        print(sayCompared(plan, difference));
        if (difference) code = 1;
      }
    } finally {
      await stage.close();
    }
    return code;
  });
}

/** Plays the schedules with the tester. Writes the spec and the output, and returns the output. */
async function played(
  plan: Plan,
  asked: AskedOne,
  folder: string,
  play: (spec: string) => Promise<string>,
): Promise<string> {
  const file = path.join(folder, plan.label.replaceAll(/[/:]/g, '-'));
  const spec = specOf(plan, headOf(plan, asked));
  await orUsage(writeFile(`${file}.spec`, spec));
  const output = await play(spec);
  await orUsage(writeFile(`${file}.out`, output));
  return output;
}

/** Returns a line that tells whether the tester agrees with the explorer. */
export function sayCompared(plan: Plan, difference: Difference | undefined): string {
  const all = plan.permutations.length;
  if (!difference) return `${plan.label}: ${all} of ${schedules(all)} agree${sayLeftOut(plan)}\n`;
  const { number, schedule, words } = difference;
  const [address, situation] = plan.label.split(':');
  return (
    `${plan.label}: schedule ${number} of ${all} differs. In ${schedule}, ${words}.\n` +
    `replay: npm run replay -- ${address} ${schedule} --situation ${situation}\n`
  );
}

/** Explores a strategy, and plans its schedules for the tester. */
export async function planFor(
  stage: Stage,
  { chapter, strategy, situation, sessions }: AskedOne,
  options: Pick<ExploreOptions, 'onSchedule' | 'stop'> = {},
): Promise<Plan> {
  const trial = chapter.trial(strategy, situation, sessions);
  const label = `${addressOf({ chapter, strategy })}:${situation.name}:${sessions}`;
  return planOf(await record(stage, trial, { ...options, most: situation.most }), label);
}

async function planAloud(stage: Stage, asked: AskedOne, stop: AbortSignal) {
  const onSchedule = (n: number) => showProgress(`${asked.strategy.name}: schedule ${n}`);
  const plan = await planFor(stage, asked, { onSchedule, stop });
  clearProgress();
  return plan;
}

function headOf({ label, recording }: Plan, { strategy, situation }: AskedOne) {
  const { isComplete } = recording.exploration;
  return [
    `${strategy.name}: ${strategy.idea}`,
    `${situation.name}: ${situation.idea}`,
    `${isComplete ? 'Every schedule' : 'The first schedules'}, as the explorer plays them.`,
    'A comment above each permutation has the choices of the explorer.',
    `Each permutation ends with "${label}", which reads the tables.`,
  ];
}

const schedules = (count: number) => `${count} ${count === 1 ? 'schedule' : 'schedules'}`;

function sayLeftOut({ leftOut }: Plan): string {
  if (leftOut.length === 0) return '';
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  const counts = reasons.map(
    (reason) => `${leftOut.filter((each) => each.reason === reason).length} (${reason})`,
  );
  return `, left out: ${counts.join(', ')}`;
}

/**
 * Makes the folder, and the folders above it. We do not use the option `recursive` of `mkdir`. For
 * a new folder in /proc, `mkdir` would then never return, and the process could not end.
 */
async function makeFolder(folder: string) {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (!found) await makeFolder(path.dirname(folder));
  await mkdir(folder);
}

/** Throws a `UsageError` if the work fails, because the command line names an unusable folder. */
async function orUsage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
