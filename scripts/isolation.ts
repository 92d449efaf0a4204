import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Chapter, Situation, Strategy } from '../src/lab/chapter.ts';
import { addressOf } from '../src/lab/chapters/index.ts';
import type { ExploreOptions } from '../src/lab/explore/explore.ts';
import { compare } from '../src/lab/explore/isolation/compare.ts';
import { type Plan, planOf } from '../src/lab/explore/isolation/plan.ts';
import { record } from '../src/lab/explore/isolation/record.ts';
import { specOf } from '../src/lab/explore/isolation/spec.ts';
import type { Stage } from '../src/lab/explore/stage.ts';
import { labSchema } from '../src/lab/stages/database.ts';
import { UsageError } from '../src/process/errors.ts';
import { print } from '../src/process/print.ts';
import { withStage } from './arena.ts';
import { clearProgress, showProgress } from './progress.ts';

export interface Asked {
  chapter: Chapter;
  strategies: readonly Strategy[];
  situation: Situation;
  sessions: number;
}

/** Writes a spec for the isolation tester for each strategy, and the tables that the specs need. */
export async function writeSpecs(folder: string, asked: Asked, stop: AbortSignal) {
  await orUsage(makeFolder(folder));
  await orUsage(writeFile(path.join(folder, 'schema.sql'), labSchema()));
  await withStage(stop, async (stage) => {
    for (const strategy of asked.strategies) {
      const plan = await planAloud(stage, strategy, asked, stop);
      const file = path.join(folder, `${plan.label.replaceAll(/[/:]/g, '-')}.spec`);
      await orUsage(writeFile(file, specOf(plan, headOf(plan, strategy, asked))));
      print(`${file}: ${schedules(plan.permutations.length)}${sayLeftOut(plan)}\n`);
    }
  });
  return 0;
}

/**
 * Compares the output of the isolation tester with the schedules of a strategy. Returns the exit code:
 * 0 if all agree, and 1 if one differs.
 */
export async function compareOutput(file: string, asked: Asked, stop: AbortSignal) {
  const [strategy, another] = asked.strategies;
  if (!strategy || another) throw new UsageError('--compare needs one strategy: --strategy NAME');
  const output = await orUsage(readFile(file, 'utf8'));
  const plan = await withStage(stop, (stage) => planAloud(stage, strategy, asked, stop));
  const difference = compare(plan, output, file);
  const all = plan.permutations.length;
  if (!difference) {
    print(`${plan.label}: ${all} of ${schedules(all)} agree${sayLeftOut(plan)}\n`);
    return 0;
  }
  const { number, schedule, words } = difference;
  print(
    `${plan.label}: schedule ${number} of ${all} differs. In ${schedule}, ${words}.\n` +
      `replay: npm run replay -- ${addressOf({ ...asked, strategy })} ${schedule} --situation ${asked.situation.name}\n`,
  );
  return 1;
}

/** Explores a strategy, and plans its schedules for the tester. */
export async function planFor(
  stage: Stage,
  strategy: Strategy,
  { chapter, situation, sessions }: Omit<Asked, 'strategies'>,
  options: Pick<ExploreOptions, 'onSchedule' | 'stop'> = {},
): Promise<Plan> {
  const trial = chapter.trial(strategy, situation, sessions);
  const label = `${addressOf({ chapter, strategy })}:${situation.name}:${sessions}`;
  return planOf(await record(stage, trial, { ...options, most: situation.most }), label);
}

async function planAloud(stage: Stage, strategy: Strategy, asked: Asked, stop: AbortSignal) {
  const onSchedule = (n: number) => showProgress(`${strategy.name}: schedule ${n}`);
  const plan = await planFor(stage, strategy, asked, { onSchedule, stop });
  clearProgress();
  return plan;
}

function headOf({ label, recording }: Plan, { name, idea }: Strategy, { situation }: Asked) {
  const { isComplete } = recording.exploration;
  return [
    `${name}: ${idea}`,
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
 * Makes the folder, and the folders around it. With its option `recursive`, `mkdir` never returns for a
 * new folder in /proc, and the process cannot end.
 */
async function makeFolder(folder: string) {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (!found) await makeFolder(path.dirname(folder));
  await mkdir(folder);
}

/** A folder or file that cannot be used is a mistake in the command line. */
async function orUsage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
