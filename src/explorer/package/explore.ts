import path from 'node:path';
import { isInCI } from '../../platform/process/environment.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { type Played, replay } from '../explore.ts';
import { Divergence } from '../forks.ts';
import type { WireStage } from '../wire/stage.ts';
import { type Caller, callerOf } from './caller.ts';
import { openDatabases } from './database.ts';
import { type Kept, keptFileOf, readKept, writeKept } from './kept.ts';
import { lineOf, RuleBroken, SearchIncomplete, sayIncomplete, sayViolation } from './message.ts';
import { assertOrder } from './order.ts';
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
): Promise<Found> => withScenes(order, (scenes) => search(scenes, caller));

/** Plays only the kept schedule. Undefined if there is none. */
export async function replayFor(
  { file }: Caller,
  order: Exploring,
): Promise<PlayedAgain | undefined> {
  const kept = file === undefined ? undefined : readKept(keptFileOf(file), nameOf(order));
  if (!kept) return undefined;
  return withScenes({ ...order, lanes: 1 }, async ([scene]) => {
    await scene.rehearse();
    return playKept(scene, kept);
  });
}

export const nameOf = ({ name, sessions }: Exploring): string =>
  name ?? Object.keys(sessions).join(' and ');

/** The scenes of an exploration, one for each lane. */
type Scenes = readonly [Scene, ...Scene[]];

async function withScenes<Names extends string, T>(
  order: Exploring<Names>,
  work: (scenes: Scenes) => Promise<T>,
): Promise<T> {
  const names = Object.keys(order.sessions) as Names[];
  assertOrder(order as Exploring);
  order.signal?.throwIfAborted();
  const databases = await openDatabases(order.database, order.lanes ?? 1);
  const scenes: Scene[] = [];
  try {
    for (const url of databases.urls) scenes.push((await Scene.open(url, order, names)) as Scene);
    return await unlessAborted(order.signal, scenes, () => work(scenes as unknown as Scenes));
  } finally {
    await Promise.all(scenes.map((scene) => scene.close())).finally(() =>
      // The next run drops a database that stays.
      databases.drop().catch(() => undefined),
    );
  }
}

/** Throws the reason of the signal if it is aborted, even in the middle of a step. */
async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  scenes: readonly Scene[],
  work: () => Promise<T>,
): Promise<T> {
  const abortAll = (reason: unknown) => {
    for (const scene of scenes) scene.abort(reason);
  };
  const abort = () => abortAll(signal?.reason);
  const leave = () => abortAll(new Error('the process that started this one has ended'));
  signal?.addEventListener('abort', abort);
  // A test runner may be killed alone. Its worker would explore on.
  process.once('disconnect', leave);
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    process.removeListener('disconnect', leave);
  }
}

async function search(scenes: Scenes, caller: Caller): Promise<Found> {
  const startedAt = performance.now();
  const [{ order, stage }] = scenes;
  const name = nameOf(order);
  assertOwnName(caller, name);
  await Promise.all(scenes.map((scene) => scene.rehearse()));
  const file = caller.file && keptFileOf(caller.file);
  const own: string[] = [];
  const result =
    (await searchKept(scenes[0], file, name, own)) ?? (await searchAnew(scenes, file, name, own));
  return foundOf({
    ...result,
    name,
    remarks: [...remarksOf(scenes), ...rightsMissing(stage), ...own],
    calledAt: placeOf(caller),
    milliseconds: Math.round(performance.now() - startedAt),
  });
}

type Result = Pick<Found, 'schedules' | 'isComplete' | 'violations' | 'violation' | 'keptIn'>;

/** Returns the remarks of all lanes, each once. */
const remarksOf = (scenes: Scenes): Set<string> =>
  new Set(scenes.flatMap(({ stage }) => stage.remarks));

const placeOf = ({ file, line }: Caller): string =>
  file === undefined ? 'an unknown place' : `${path.relative('', file)}:${line}`;

/**
 * Plays the kept schedule, if there is one. Returns undefined if the schedule holds now, or no longer
 * fits. An exploration that counts plays all schedules anyway.
 */
async function searchKept(
  scene: Scene,
  file: string | undefined,
  name: string,
  remarks: string[],
): Promise<Result | undefined> {
  const kept = file === undefined ? undefined : readKept(file, name);
  if (!kept || scene.order.counts) return undefined;
  const again = await playKept(scene, kept);
  if ('differs' in again)
    remarks.push(`The kept schedule no longer fits: ${again.differs}. The search began anew.`);
  else if (again.violation)
    return {
      ...{ schedules: 1, isComplete: false, violations: 1, violation: again.violation },
      keptIn: file,
    };
  return undefined;
}

async function searchAnew(
  [scene, ...beside]: Scenes,
  file: string | undefined,
  name: string,
  remarks: string[],
): Promise<Result> {
  const first = new FirstViolation(scene);
  let end = { schedules: 0, isComplete: false };
  try {
    end = await scene.searchAll(beside, (played, number) => {
      end = { schedules: number, isComplete: false };
      first.note(played, number);
    });
  } catch (error) {
    // A violation that was found stays found.
    if (!first.violation || scene.order.signal?.aborted) throw error;
    remarks.push(`The search ended early: ${lineOf(error)}`);
  }
  const { schedules, isComplete } = end;
  const result = { schedules, isComplete, ...first.result };
  const keeps = file !== undefined && (scene.order.keeps ?? !isInCI());
  return { ...result, keptIn: keeps ? keep(file, name, result, first.steps, remarks) : undefined };
}

/** The first schedule that breaks the rule, and the number of such schedules. */
class FirstViolation {
  readonly #scene: Scene;
  violation: Violation | undefined;
  steps: string[] = [];
  #count = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  get result(): Pick<Result, 'violations' | 'violation'> {
    return { violations: this.#count, violation: this.violation };
  }

  note(played: Played, number: number) {
    const found = this.#scene.violationOf(played, number);
    if (!found) return;
    this.#count++;
    if (this.violation) return;
    this.violation = found;
    this.steps = stepsOf(played);
  }
}

/**
 * Keeps the schedule that broke the rule. Forgets an old schedule if all schedules hold now. Returns
 * the file, if a schedule is kept in it.
 */
function keep(
  file: string,
  name: string,
  { violation, isComplete }: Pick<Result, 'violation' | 'isComplete'>,
  steps: string[],
  remarks: string[],
): string | undefined {
  const shown = path.relative('', file);
  try {
    if (violation) {
      const { rule, schedule } = violation;
      writeKept(file, name, { rule, schedule, steps });
      remarks.push(`The schedule is kept in ${shown}. The next run plays it first.`);
      return file;
    }
    if (isComplete && readKept(file, name)) {
      writeKept(file, name, undefined);
      remarks.push(`All schedules hold, so the kept schedule was removed from ${shown}.`);
    }
  } catch (error) {
    remarks.push(`The schedule could not be kept in ${shown}: ${lineOf(error)}`);
  }
  return undefined;
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
        `The account may not make the settings of the explorer, so each wait takes ` +
          `${deadlockSearchMs / 1000} s. \`rowlock-explorer doctor --database ADDRESS\` names the right.`,
      ];

/** A kept schedule, played again. `differs` tells the first difference. */
export type PlayedAgain = { violation: Violation | undefined } | { differs: string };

/** Plays a kept schedule. If its steps differ from the file, there is no verdict. */
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

/**
 * Returns the statements of each step, such as `S1: select … where id = $1`. Values are left out,
 * because they may differ from run to run, and may be secret.
 */
const stepsOf = ({ entries }: Played): string[] =>
  entries.map(({ choice, acts }) =>
    [choice, ...acts.map(({ session, step }) => `S${session}: ${step.text}`)].join(' '),
  );

function foundOf(parts: Omit<Found, 'assertHolds'>): Found {
  const found: Found = {
    ...parts,
    assertHolds({ mayBeIncomplete = false } = {}) {
      const { violation } = found;
      if (violation) throw new RuleBroken(sayViolation(found, violation), violation.error);
      if (!found.isComplete && !mayBeIncomplete) throw new SearchIncomplete(sayIncomplete(found));
    },
  };
  return found;
}
