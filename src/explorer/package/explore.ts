import path from 'node:path';
import { isInCI } from '../../platform/process/environment.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { type Played, replay } from '../explore.ts';
import { Divergence } from '../forks.ts';
import { tell } from '../tell.ts';
import type { WireStage } from '../wire/stage.ts';
import { type Caller, callerOf } from './caller.ts';
import { openDatabase } from './database.ts';
import { type Kept, keptFileOf, readKept, writeKept } from './kept.ts';
import { lineOf, RuleBroken, sayIncomplete, sayViolation } from './message.ts';
import { Scene } from './scene.ts';
import type { Exploring, Found, Violation } from './types.ts';

/**
 * Plays the orders of the statements of some sessions on a real PostgreSQL, and checks a rule at the
 * end of each order. Ends at the first order that breaks the rule.
 *
 * Throws an error with a message of one line if the sessions cannot be explored.
 */
export async function explore<Names extends string>(order: Exploring<Names>): Promise<Found> {
  const caller = callerOf(explore);
  return exploreFor(caller, order);
}

/** Like `explore`, but `caller` is known. */
export const exploreFor = <Names extends string>(
  caller: Caller,
  order: Exploring<Names>,
): Promise<Found> => withScene(order, (scene) => search(scene, caller));

/** Plays only the kept schedule. Undefined if there is none. */
export async function replayFor(
  { file }: Caller,
  order: Exploring,
): Promise<PlayedAgain | undefined> {
  const kept = file === undefined ? undefined : readKept(keptFileOf(file), nameOf(order));
  if (!kept) return undefined;
  return withScene(order, async (scene) => {
    await scene.rehearse();
    return playKept(scene, kept);
  });
}

export const nameOf = ({ name, sessions }: Exploring): string =>
  name ?? Object.keys(sessions).join(' and ');

async function withScene<Names extends string, T>(
  order: Exploring<Names>,
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  const names = Object.keys(order.sessions) as Names[];
  assertSessions(names);
  const scratch = await openDatabase(order.database);
  try {
    const scene = await Scene.open(scratch.url, order, names);
    try {
      return await work(scene as Scene);
    } finally {
      await scene.close();
    }
  } finally {
    await scratch.stop();
  }
}

/** A schedule has a column for each session, and more columns do not fit. */
const MOST_SESSIONS = 3;

function assertSessions(names: readonly string[]) {
  if (names.length < 2 || names.length > MOST_SESSIONS)
    throw new UsageError(
      `There are ${names.length} sessions. Two or three sessions can be explored.`,
    );
}

async function search(scene: Scene, caller: Caller): Promise<Found> {
  const startedAt = performance.now();
  const { order, stage } = scene;
  const name = nameOf(order);
  assertOwnName(caller, name);
  await scene.rehearse();
  const remarks = [...stage.remarks, ...rightsMissing(stage)];
  const result =
    (await searchKept(scene, caller, name, remarks)) ??
    (await searchAnew(scene, caller, name, remarks));
  return foundOf({
    ...result,
    name,
    remarks,
    calledAt: placeOf(caller),
    milliseconds: Math.round(performance.now() - startedAt),
  });
}

type Result = Pick<Found, 'schedules' | 'isComplete' | 'violations' | 'violation'>;

const placeOf = ({ file, line }: Caller): string =>
  file === undefined ? 'an unknown place' : `${path.relative('', file)}:${line}`;

/**
 * Plays the kept schedule, if there is one. Returns undefined if the schedule holds now, or fits no
 * more.
 */
async function searchKept(
  scene: Scene,
  { file }: Caller,
  name: string,
  remarks: string[],
): Promise<Result | undefined> {
  const kept = file === undefined ? undefined : readKept(keptFileOf(file), name);
  if (!kept) return undefined;
  const again = await playKept(scene, kept);
  if ('differs' in again)
    remarks.push(`The kept schedule fits no more: ${again.differs}. The search began anew.`);
  else if (again.violation)
    return { schedules: 1, isComplete: false, violations: 1, violation: again.violation };
  return undefined;
}

async function searchAnew(
  scene: Scene,
  { file }: Caller,
  name: string,
  remarks: string[],
): Promise<Result> {
  let violation: Violation | undefined;
  let violations = 0;
  let steps: string[] = [];
  const { schedules, isComplete } = await scene.searchAll((played, number) => {
    const found = scene.violationOf(played, number);
    if (!found) return;
    violations++;
    if (violation) return;
    violation = found;
    steps = stepsOf(played);
  });
  const result = { schedules, isComplete, violations, violation } as Result;
  if (file !== undefined && (scene.order.keeps ?? !isInCI()))
    remarks.push(...keep(keptFileOf(file), name, result, steps));
  return result;
}

/** Keeps the schedule that broke the rule. Forgets an old schedule if all schedules hold now. */
function keep(file: string, name: string, result: Result, steps: string[]): string[] {
  const { violation, isComplete } = result;
  const shown = path.relative('', file);
  if (violation) {
    const { rule, schedule } = violation;
    writeKept(file, name, { rule, schedule, steps });
    return [`The schedule is kept in ${shown}. The next run plays it first.`];
  }
  if (!isComplete || !readKept(file, name)) return [];
  writeKept(file, name, undefined);
  return [`All schedules hold, so the kept schedule was removed from ${shown}.`];
}

/** The places that have explored, by their file and the name of the exploration. */
const explored = new Map<string, number>();

/** Throws if another line of this file has explored with this name. Their schedules would collide. */
function assertOwnName({ file, line }: Caller, name: string) {
  const key = JSON.stringify([file, name]);
  const other = explored.get(key) ?? line;
  explored.set(key, line);
  if (other !== line)
    throw new UsageError(
      `Lines ${other} and ${line} both explore "${name}". Give each of them a \`name\`.`,
    );
}

const rightsMissing = ({ deadlockSearchMs }: WireStage): string[] =>
  deadlockSearchMs === 0
    ? []
    : [
        `The account may not set log_lock_waits and deadlock_timeout, so each wait takes ` +
          `${deadlockSearchMs / 1000} s. rowlock-explorer doctor tells which right is missing.`,
      ];

/** A kept schedule, played again. `differs` tells the first difference. */
export type PlayedAgain = { violation: Violation | undefined } | { differs: string };

/** Plays a kept schedule. Its steps must be those of the file, or the result says nothing. */
async function playKept(scene: Scene, kept: Kept): Promise<PlayedAgain> {
  try {
    const played = await replay(scene.stage, scene.trial, kept.schedule.split(','));
    const steps = stepsOf(played);
    const at = kept.steps.findIndex((step, index) => step !== steps[index]);
    if (at < 0) return { violation: scene.violationOf(played, 0) };
    return { differs: `step ${at + 1} was ${kept.steps[at]}, and is ${steps[at] ?? 'missing'}` };
  } catch (error) {
    if (error instanceof Divergence) return { differs: lineOf(error) };
    throw error;
  }
}

/** Returns the statements of each step, such as `S1: select …`. */
const stepsOf = (played: Played): string[] =>
  tell(played).steps.map(({ event, acts }) =>
    [event, ...acts.map(({ session, statement }) => `S${session}: ${statement}`)]
      .filter((each) => each !== null)
      .join('; '),
  );

function foundOf(parts: Omit<Found, 'assertHolds'>): Found {
  const found: Found = {
    ...parts,
    assertHolds({ mayBeIncomplete = false } = {}) {
      const { violation } = found;
      if (violation) throw new RuleBroken(sayViolation(found, violation), violation.error);
      if (!found.isComplete && !mayBeIncomplete) throw new RuleBroken(sayIncomplete(found));
    },
  };
  return found;
}
