import type { Actor, Status } from '../../explorer/actor.ts';
import { Execution, type FirstSteps, firstSteps } from '../../explorer/execution.ts';
import { assess } from '../../explorer/explore.ts';
import { ProgramError } from '../../explorer/programs/program-error.ts';
import { readableStatement } from '../../explorer/readable.ts';
import type { Stage } from '../../explorer/stage.ts';
import type { Step } from '../../explorer/step.ts';
import { Hang } from '../../explorer/stillness.ts';
import { tell } from '../../explorer/tell.ts';
import type { ToldSchedule } from '../../explorer/told.ts';
import type { Ending, Trial } from '../../explorer/trial.ts';
import { type ShownState, type Situation, type Strategy, sessionsIn } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import { type Deadlock, findDeadlock } from './deadlock.ts';
import { type Locks, readLocks } from './locks.ts';
import { type OpenTransaction, readTransactions } from './transactions.ts';

/**
 * The state after a schedule: which sessions may go on, which wait, and the contents of the
 * database.
 */
export interface PlayState {
  told: ToldSchedule;
  sessions: PlayedSession[];
  /**
   * The next choices, such as `1`, `t` or `k1`. `Choices` explains their form. Empty at the end.
   */
  choices: string[];
  /** The events that this situation allows at all. */
  events: AllowedEvents;
  isOver: boolean;
  /** The faults and the summary, such as `oversold: 5 claims, 4 slots`. Null before the end. */
  verdict: string | null;
  /**
   * One line that says why an answer of a program in any language was wrong. Null if all answers
   * were good.
   */
  failure: string | null;
  deadlock: Deadlock | null;
  /** The committed state. */
  committed: ShownState;
  locks: Locks;
}

/** How many events of each kind a schedule of the situation may have. */
export interface AllowedEvents {
  deaths: number;
  lostAnswers: number;
}

export interface PlayedSession {
  session: number;
  status: Status;
  /** Whether the process of the session has died. A statement of the session may still wait. */
  isDead: boolean;
  /** The sessions of the same process, including this session. They die together. */
  dieTogether: number[];
  /** The next statement or effect, or the statement that waits. Null if we know no statement. */
  statement: string | null;
  /** Whether the next step does something outside the database. */
  isEffect: boolean;
  /** Whether the next step reads or writes the memory of its process. */
  isInMemory: boolean;
  waitsFor: number[];
  transaction: OpenTransaction | null;
}

export interface PlayRequest extends Addressed {
  situation: Situation;
  sessions: number;
  schedule: string[];
}

/**
 * The maximum time of a schedule. Even 200 steps take less time. Only a schedule that never ends
 * takes longer.
 */
const PATIENCE_MS = 4_000;
/**
 * The time for further attempts to follow a schedule that was impossible. PostgreSQL may wake two
 * sessions at the same time, in any order, so a later attempt may succeed.
 */
const TRY_AGAIN_MS = 1_000;

/**
 * Plays a schedule from its beginning, and reads the state after it. Returns a string with the
 * reason if the schedule is impossible.
 */
export async function play(stage: Stage, request: PlayRequest): Promise<PlayState | string> {
  const { chapter, strategy, situation } = request;
  const sessions = sessionsIn(situation, request.sessions);
  const first = await rememberedSteps(stage, request, situation, sessions);
  const deadline = Date.now() + TRY_AGAIN_MS;
  for (;;) {
    const trial = chapter.trial(strategy, situation, sessions);
    const execution = await Execution.start(stage, trial, { first });
    const failure = await follow(execution, request.schedule).catch(asHang);
    if (typeof failure !== 'string')
      return await look(stage, request, { trial, execution, first, hang: failure });
    // With two sessions, PostgreSQL never wakes both at the same time, so another attempt would not
    // help.
    if (sessions <= 2 || Date.now() > deadline) return failure;
  }
}

async function follow(execution: Execution, schedule: string[]): Promise<string | undefined> {
  const deadline = Date.now() + PATIENCE_MS;
  for (const [index, choice] of schedule.entries()) {
    const choices = await nextChoices(execution);
    if (!choices.includes(choice)) {
      const others = choices.join(', ') || 'none';
      return `Step ${index + 1} of the schedule is ${choice}. The choices there: ${others}.`;
    }
    if (Date.now() > deadline) throw new Hang('the schedule takes too long');
    await execution.step(choice);
  }
  await nextChoices(execution);
  return undefined;
}

/**
 * Returns the next choices. Throws a `Hang` if no session can go on. A session that waits in memory
 * may go on by itself. Then there is a choice.
 */
export async function nextChoices(execution: Execution): Promise<string[]> {
  const stuck = await execution.stuck();
  if (stuck.length === 0) return execution.choices();
  throw execution.hangOf(stuck);
}

export const asHang = (error: unknown): Hang => {
  if (error instanceof Hang) return error;
  throw error;
};

interface PlayedSchedule {
  trial: Trial;
  execution: Execution;
  /** The first step of each session. */
  first: FirstSteps;
  hang: Hang | undefined;
}

/** Reads the state after the steps that were played so far. */
export async function look(
  stage: Stage,
  { chapter, strategy }: Addressed,
  { trial, execution, first, hang: hungIn }: PlayedSchedule,
): Promise<PlayState> {
  const { entries, pids } = execution;
  const isOver = execution.isOver() || hungIn !== undefined;
  // Another program may run after the sessions. It is no session, so we leave it out.
  const actors = execution.actors.slice(0, execution.sessions);
  const { hang, ...end } = await endOf(execution, hungIn);
  const committed = await chapter.readState(stage.admin, strategy);
  const locks = await readLocks(stage, chapter, pids);
  const transactions = await readTransactions(stage, execution);
  // Sessions that never ended still have open transactions, so we end these sessions.
  if (hang) await stage.abandon();
  const endings = execution.actors.map(({ ending }) => ending);
  return {
    told: tell({ sessions: actors.length, entries, endings, ...end }),
    sessions: actors.map((actor, index) => ({
      session: actor.number,
      status: actor.status,
      isDead: actor.isDead,
      dieTogether: processOf(trial, index),
      ...nextOf(actor, first[index]),
      waitsFor: actor.waitsFor,
      transaction: transactions[index] ?? null,
    })),
    choices: isOver ? [] : execution.choices(),
    events: { deaths: trial.deaths ?? 0, lostAnswers: trial.lostAnswers ?? 0 },
    isOver,
    verdict: isOver ? [end.faults.join(', '), end.summary].filter(Boolean).join(': ') : null,
    failure: failureOf(endings),
    deadlock: findDeadlock(execution),
    committed,
    locks,
  };
}

const failureOf = (endings: (Ending | undefined)[]): string | null => {
  const errors = endings.map((ending) => ending && 'error' in ending && ending.error);
  return errors.find((error) => error instanceof ProgramError)?.message ?? null;
};

interface End {
  faults: string[];
  summary: string;
  hang: Hang | undefined;
}

/** Judges a schedule that is over. The program that runs after the sessions may hang too. */
async function endOf(execution: Execution, hang: Hang | undefined): Promise<End> {
  if (hang) return { faults: ['hang'], summary: hang.message, hang };
  if (!execution.isOver()) return { faults: [], summary: '', hang };
  try {
    const { faults, summary } = await assess(execution);
    return { faults, summary, hang };
  } catch (error) {
    return await endOf(execution, asHang(error));
  }
}

/** Returns the sessions in the same process as the session at this index. */
function processOf({ sessions, processes = [] }: Trial, index: number): number[] {
  const numbers = sessions.map((_, other) => other + 1);
  const own = processes[index] ?? index + 1;
  return numbers.filter((number) => (processes[number - 1] ?? number) === own);
}

function nextOf({ step, status }: Actor, first: Step | undefined) {
  const next = step ?? (status === 'ready' ? first : undefined);
  return {
    statement: next ? readableStatement(next) : null,
    isEffect: next?.effect !== undefined,
    isInMemory: next?.effect?.isInMemory === true,
  };
}

/**
 * The first steps in each situation, by the strategy itself. The scripts of two students have the same
 * address.
 */
const known = new WeakMap<Strategy, Map<string, FirstSteps>>();

/** Returns the first step of each session. Remembers the steps, since each request needs them. */
export async function rememberedSteps(
  stage: Stage,
  played: Addressed,
  situation: Situation,
  sessions: number,
): Promise<FirstSteps> {
  const name = `${situation.name} ${sessions}`;
  const ofStrategy = known.get(played.strategy) ?? new Map<string, FirstSteps>();
  known.set(played.strategy, ofStrategy);
  const trial = played.chapter.trial(played.strategy, situation, sessions);
  const steps = ofStrategy.get(name) ?? (await firstSteps(stage, trial));
  ofStrategy.set(name, steps);
  return steps;
}
