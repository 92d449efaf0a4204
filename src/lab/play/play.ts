import { type ClaimSetting, claimScenario } from '../chapters/claims/situations.ts';
import type { Strategy } from '../chapters/claims/strategy.ts';
import type { Actor, Status } from '../explore/actor.ts';
import { Execution } from '../explore/execution.ts';
import { assess } from '../explore/explore.ts';
import { readableStatement } from '../explore/readable.ts';
import type { Stage } from '../explore/stage.ts';
import { Hang } from '../explore/stillness.ts';
import { type ToldSchedule, tell } from '../explore/told.ts';
import { type Deadlock, findDeadlock } from './deadlock.ts';
import { firstStatements } from './first-statements.ts';
import { type Locks, readLocks } from './locks.ts';
import { readStanding, type Standing } from './standing.ts';
import { type OpenTransaction, readTransactions } from './transactions.ts';

/** Where a schedule has come to: who may go on, who waits, and what the database has by now. */
export interface PlayState {
  told: ToldSchedule;
  sessions: PlayedSession[];
  /** What may be chosen next: numbers of sessions, and `t` where time may pass. None at the end. */
  choices: string[];
  isOver: boolean;
  /** What came of it, such as `oversold: 5 claims, 4 slots`; null before the end. */
  verdict: string | null;
  deadlock: Deadlock | null;
  standing: Standing;
  locks: Locks;
}

export interface PlayedSession {
  session: number;
  status: Status;
  /** The statement that runs next, or that waits. */
  statement: string | null;
  waitsFor: number[];
  transaction: OpenTransaction | null;
}

export interface PlayRequest {
  strategy: Strategy;
  setting: ClaimSetting;
  sessions: number;
  schedule: string[];
}

/** Longer than 200 steps take; only what never ends takes longer. */
const PATIENCE_MS = 4_000;
/** Of two that PostgreSQL wakes at once either may come first: so long the same is tried again. */
const TRY_AGAIN_MS = 1_000;

/**
 * Plays a schedule from its beginning as far as it goes, and looks around. A schedule that cannot be
 * gives the words that say so instead.
 */
export async function play(stage: Stage, request: PlayRequest): Promise<PlayState | string> {
  const { strategy, setting, sessions } = request;
  const first = await firstStatements(stage, strategy, setting, sessions);
  const deadline = Date.now() + TRY_AGAIN_MS;
  for (;;) {
    const execution = await Execution.start(stage, claimScenario(strategy, setting, sessions));
    const failure = await follow(execution, request.schedule).catch(asHang);
    if (typeof failure !== 'string') return await look(stage, execution, first, failure);
    // Of two sessions, no more than one waits for the other.
    if (sessions === 2 || Date.now() > deadline) return failure;
  }
}

async function follow(execution: Execution, schedule: string[]): Promise<string | undefined> {
  const deadline = Date.now() + PATIENCE_MS;
  for (const [index, choice] of schedule.entries()) {
    const choices = await nextChoices(execution);
    if (!choices.includes(choice)) {
      const others = choices.join(', ') || 'nothing';
      return `Step ${index + 1} of the schedule is ${choice}, but only ${others} can go on there.`;
    }
    if (Date.now() > deadline) throw new Hang('the schedule takes too long');
    await execution.step(choice);
  }
  await nextChoices(execution);
  return undefined;
}

/** Who waits for something in memory alone may come back by itself, and then there is a choice. */
async function nextChoices(execution: Execution): Promise<string[]> {
  const stuck = await execution.stuck();
  if (stuck.length === 0) return execution.choices();
  throw new Hang(`${stuck.map(({ number }) => `S${number}`).join(' and ')} never ended`);
}

const asHang = (error: unknown): Hang => {
  if (error instanceof Hang) return error;
  throw error;
};

async function look(
  stage: Stage,
  execution: Execution,
  first: string[],
  hang: Hang | undefined,
): Promise<PlayState> {
  const { actors, entries, pids } = execution;
  const isOver = execution.isOver() || hang !== undefined;
  const standing = await readStanding(stage);
  const locks = await readLocks(stage, pids);
  const transactions = await readTransactions(stage, execution);
  const end = await endOf(execution, hang);
  // What never ended is in the middle of something.
  if (hang) await stage.abandon();
  const endings = actors.map(({ ending }) => ending);
  return {
    told: tell({ sessions: actors.length, entries, endings, ...end }),
    sessions: actors.map((actor, index) => ({
      session: actor.number,
      status: actor.status,
      statement: statementOf(actor, first[index]),
      waitsFor: actor.waitsFor,
      transaction: transactions[index] ?? null,
    })),
    choices: isOver ? [] : execution.choices(),
    isOver,
    verdict: isOver ? [end.faults.join(', '), end.summary].filter(Boolean).join(': ') : null,
    deadlock: findDeadlock(execution),
    standing,
    locks,
  };
}

async function endOf(execution: Execution, hang: Hang | undefined) {
  if (hang) return { faults: ['hang'], summary: hang.message };
  if (!execution.isOver()) return { faults: [], summary: '' };
  const { faults, summary } = await assess(execution);
  return { faults, summary };
}

function statementOf({ step, status }: Actor, first: string | undefined): string | null {
  if (step) return readableStatement(step);
  return (status === 'ready' && first) || null;
}
