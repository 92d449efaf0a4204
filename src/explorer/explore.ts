import { databaseError, SQLSTATE } from '../platform/db/sqlstate.ts';
import type { Actor } from './actor.ts';
import { compareSchedules } from './choice.ts';
import { type Entry, Execution, firstSteps, needsFirstSteps, type Start } from './execution.ts';
import { Divergence, Forks } from './forks.ts';
import { type Lane, playInLanes } from './lanes.ts';
import type { Stage } from './stage.ts';
import type { StepModel } from './step.ts';
import { Hang } from './stillness.ts';
import { type Ending, isOfTrial, type Trial } from './trial.ts';

/** One schedule, played to its end. */
export interface Played {
  /** The number of sessions. A program that ran afterwards does not count as a session. */
  sessions: number;
  schedule: string[];
  entries: Entry[];
  endings: Ending[];
  /**
   * The faults that the trial found, and the explorer's own faults `deadlock`, `error` and `hang`.
   */
  faults: string[];
  serializationFailure: boolean;
  /** Whether a session that polls had to wait for the others (see `Polls`). */
  hasHeldBack: boolean;
  /**
   * Whether the schedule hangs because of a kept lock. The session that holds this lock has already
   * ended.
   */
  isForKeptLock?: boolean;
  /** The state at the end, in one line. */
  summary: string;
  /** Remarks on what is wrong and still no fault. */
  remarks: string[];
  /** The error that explains the faults. Undefined if the trial gives none. */
  cause?: unknown;
}

export interface Exploration {
  schedules: number;
  /** Whether all schedules were played. */
  isComplete: boolean;
  /** For each fault, the number of schedules with this fault. */
  faults: Record<string, number>;
  serializationFailures: number;
  /**
   * For each fault, the clearest schedule (see `isClearer`). It has the fewest switches between
   * sessions. Of two such schedules, it is the one with fewer steps.
   */
  counterexamples: Record<string, Played>;
  milliseconds: number;
  /** Whether, in any schedule, a polling session had to wait for the others (see `Polls`). */
  hasHeldBack: boolean;
  /** The reason why the search ended early. Present only with `endsAtDivergence`. */
  divergence?: string;
  /**
   * The number of mirrored schedules that were left out. Present only if `leavesOutMirrored` is
   * set.
   */
  leftOut?: number;
}

export interface ExploreOptions {
  /**
   * Further lanes, which play schedules at the same time. The result does not depend on the number
   * of lanes. Each lane needs its own database, and a trial of its own.
   */
  beside?: readonly Lane[];
  model?: StepModel;
  /**
   * Leaves out each schedule that is the mirror of another schedule. In a mirror, two identical
   * sessions have changed places. This option needs a trial with mirrors (see `hasMirrors`).
   */
  leavesOutMirrored?: boolean;
  /**
   * Leaves out each schedule that differs from another schedule only in the order of steps that
   * commute (see `commute`). The same faults are found, in fewer schedules.
   */
  leavesOutCommuting?: boolean;
  /** The maximum number of schedules to play. By default all schedules are played. */
  most?: number | undefined;
  /** Whether the exploration ends after this schedule. By default it goes on. */
  endsAfter?: (played: Played) => boolean;
  /**
   * Whether a schedule that cannot be repeated ends the search. By default it is an error. If one
   * commit wakes two sessions at once, PostgreSQL decides which session comes first.
   */
  endsAtDivergence?: boolean;
  /** After this time no further schedule begins. By default there is no limit. */
  mostMs?: number;
  /** Called after each schedule, with the number of schedules so far. */
  onSchedule?: (schedules: number) => void;
  /** Called with each schedule after its end, and with its number, from 1. */
  onPlayed?: (played: Played, number: number) => void;
  /** Called before each step, with the schedule up to this step. */
  onStep?: (schedule: string) => void;
  stop?: AbortSignal;
}

/**
 * Plays every schedule of a trial, each from the beginning, and counts the faults. Schedules with
 * fewer switches come first, so `most` leaves out the schedules with the most switches.
 */
export async function explore(
  stage: Stage,
  trial: Trial,
  options: ExploreOptions = {},
): Promise<Exploration> {
  const { leavesOutMirrored = false, leavesOutCommuting = false, beside = [] } = options;
  const { most = Number.POSITIVE_INFINITY, mostMs = Number.POSITIVE_INFINITY } = options;
  if (leavesOutMirrored && leavesOutCommuting) throw new Error('only one kind can be left out');
  if (leavesOutMirrored && !hasMirrors(trial)) throw new Error('these schedules have no mirrors');
  // A stage prepares each trial once, so a trial without changes stays the same object.
  const asked = (each: Trial): Trial =>
    leavesOutMirrored ? { ...each, beginsInOrder: true } : each;
  const forks = leavesOutCommuting
    ? new Forks((execution, one, other) => execution.commute(one, other))
    : new Forks();
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const found: Exploration = {
    schedules: 0,
    isComplete: false,
    faults: {},
    serializationFailures: 0,
    counterexamples: {},
    milliseconds: 0,
    hasHeldBack: false,
  };
  const lanes = [{ stage, trial }, ...beside].map((lane) => ({
    ...lane,
    trial: asked(lane.trial),
  }));
  // All lanes learn the first steps from one of them.
  const first =
    leavesOutCommuting || needsFirstSteps(trial)
      ? await firstSteps(stage, trial, options.model)
      : [];
  const beginning = { model: options.model, first };
  let redundant = 0;
  const searched = playInLanes(lanes, forks, {
    mayBegin(begun) {
      options.stop?.throwIfAborted();
      return begun === 0 || (begun - redundant < most && elapsed() < mostMs);
    },
    play: async (lane, path) => {
      const playPath = () =>
        play(lane.stage, lane.trial, beginning, (execution) => {
          const next = path.next(execution);
          if (next !== undefined) options.onStep?.([...choicesOf(execution), next].join());
          return next;
        });
      const once = await playPath();
      if (!once.faults.includes('hang') || once.isForKeptLock || options.stop?.aborted)
        return { played: once, isRedundant: path.isRedundant };
      // On a busy machine, a statement may take longer than its limit. So a hang must happen twice.
      path.restart();
      const twice = await playPath().catch((error: unknown) => {
        // The first hang has left something in the memory of the program.
        if (error instanceof Divergence) return once;
        throw error;
      });
      return { played: twice, isRedundant: path.isRedundant };
    },
    accept({ played, isRedundant }) {
      // A fault that was seen counts, even in a schedule that could have been left out.
      if (isRedundant && played.faults.length === 0) {
        redundant++;
        return true;
      }
      count(found, played);
      options.onPlayed?.(played, found.schedules);
      options.onSchedule?.(found.schedules);
      // After a hang we stop. Most other schedules would hang too, and each would take its whole
      // time limit.
      return !played.faults.includes('hang') && options.endsAfter?.(played) !== true;
    },
  });
  try {
    found.isComplete = await searched;
  } catch (error) {
    if (!(options.endsAtDivergence && error instanceof Divergence)) throw error;
    found.divergence = error.message;
  }
  // A schedule and its mirror begin with different sessions. So each played schedule has one
  // mirror, which was left out.
  if (leavesOutMirrored) found.leftOut = found.schedules;
  found.milliseconds = Math.round(elapsed());
  return found;
}

/** Returns whether a schedule has one of these faults, for `endsAfter`. */
export const hasAny =
  (names: readonly string[]) =>
  ({ faults }: Played): boolean =>
    faults.some((fault) => names.includes(fault));

/** Whether each schedule of the trial has one mirror, in which the sessions change places. */
export const hasMirrors = ({ sessions, areIdentical = false }: Trial): boolean =>
  sessions.length === 2 && areIdentical;

/**
 * Returns the number of schedules in words, such as `12`. If there are more schedules, the text is
 * `the first 12`.
 */
export const inWords = ({
  schedules,
  isComplete,
}: Pick<Exploration, 'schedules' | 'isComplete'>): string =>
  isComplete ? `${schedules}` : `the first ${schedules}`;

/**
 * Returns the clearest schedule with the gravest fault that was found. `faults` begins with the
 * gravest fault. Undefined if no fault was found.
 */
export function counterexampleOf(
  { counterexamples }: Exploration,
  faults: readonly { name: string }[],
): Played | undefined {
  const worst = faults.find(({ name }) => counterexamples[name]);
  return worst && counterexamples[worst.name];
}

/** Plays one schedule. If the schedule is too short, we go on with the first possible choice. */
export function replay(stage: Stage, trial: Trial, schedule: string[]): Promise<Played> {
  return play(stage, trial, {}, (execution) => {
    const wanted = schedule[execution.entries.length];
    const choices = execution.choices();
    if (wanted === undefined) return choices[0];
    // There is no choice yet. A session may still continue by itself.
    if (choices.length === 0 && !execution.isOver()) return undefined;
    if (choices.includes(wanted)) return wanted;
    throw new Divergence(
      `Step ${execution.entries.length + 1} of the schedule is ${wanted}. The choices there: ` +
        `${choices.join(', ') || 'none'}.`,
    );
  });
}

async function play(
  stage: Stage,
  trial: Trial,
  beginning: Start,
  choose: (execution: Execution) => string | undefined,
): Promise<Played> {
  const execution = await Execution.start(stage, trial, beginning);
  try {
    let stuck: Actor[] = [];
    // A session that waits in memory may continue by itself. Then there is a choice again.
    while (stuck.length === 0 && !execution.isOver()) {
      for (let choice = choose(execution); choice !== undefined; choice = choose(execution))
        await execution.step(choice);
      stuck = await execution.stuck();
    }
    if (stuck.length > 0) throw execution.hangOf(stuck);
    return await assess(execution);
  } catch (error) {
    await stage.abandon();
    if (!(error instanceof Hang)) throw error;
    const { message: summary, isForKeptLock } = error;
    const nothing = { endings: [], remarks: [] };
    return { ...partsOf(execution), ...nothing, faults: ['hang'], summary, isForKeptLock };
  }
}

/** Finds the faults of a schedule whose sessions have all ended. */
export async function assess(execution: Execution): Promise<Played> {
  const { faults: found, summary, remarks = [], cause } = await execution.judge();
  const parts = partsOf(execution);
  const endings = execution.actors.map(({ ending }) => ending as Ending);
  const faults = [...found];
  if (hasCode(parts.entries, SQLSTATE.deadlockDetected)) faults.push('deadlock');
  if (endings.some((ending) => 'error' in ending && !isOfTrial(ending.error))) faults.push('error');
  return { ...parts, endings, faults, summary, remarks, cause };
}

const partsOf = (execution: Execution) => ({
  sessions: execution.sessions,
  schedule: choicesOf(execution),
  entries: execution.entries,
  serializationFailure: hasCode(execution.entries, SQLSTATE.serializationFailure),
  hasHeldBack: execution.hasHeldBack,
});

const hasCode = (entries: Entry[], code: string) =>
  entries.some(({ acts }) =>
    acts.some(
      ({ result }) => result && 'error' in result && databaseError(result.error)?.code === code,
    ),
  );

const choicesOf = ({ entries }: Execution) =>
  entries.map(({ choice }) => choice).filter((choice) => choice !== '');

function count(found: Exploration, played: Played) {
  found.schedules++;
  if (played.serializationFailure) found.serializationFailures++;
  found.hasHeldBack ||= played.hasHeldBack;
  for (const fault of played.faults) {
    found.faults[fault] = (found.faults[fault] ?? 0) + 1;
    const best = found.counterexamples[fault];
    if (best === undefined || isClearer(played, best)) found.counterexamples[fault] = played;
  }
}

/**
 * Whether `a` is clearer than `b`. The clearer schedule has fewer switches between sessions. If the
 * switches are equal, it has fewer steps. If the steps are equal too, it comes first in the order
 * of the choices.
 */
function isClearer(a: Played, b: Played): boolean {
  const switches = ({ schedule }: Played) =>
    schedule.filter((choice, index) => index > 0 && choice !== schedule[index - 1]).length;
  const order =
    switches(a) - switches(b) ||
    a.schedule.length - b.schedule.length ||
    compareSchedules(a.schedule, b.schedule);
  return order < 0;
}
