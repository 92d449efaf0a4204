import { type ShownState, type Situation, sessionsIn } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import type { Actor, Status } from '../explore/actor.ts';
import { type Entry, Execution } from '../explore/execution.ts';
import { assess } from '../explore/explore.ts';
import { readableStatement } from '../explore/readable.ts';
import type { Stage } from '../explore/stage.ts';
import { Hang } from '../explore/stillness.ts';
import { readableResult, tell } from '../explore/tell.ts';
import type { ToldSchedule } from '../explore/told.ts';
import { type Deadlock, findDeadlock } from './deadlock.ts';
import { firstStatements } from './first-statements.ts';
import { type Locks, readLocks } from './locks.ts';
import { type OpenTransaction, readTransactions } from './transactions.ts';

/**
 * The state after a schedule: which sessions may go on, which wait, and the contents of the
 * database.
 */
export interface PlayState {
  told: ToldSchedule;
  sessions: PlayedSession[];
  /** The next choices, such as `1`, `t` or `k1`. `Choices` explains them. Empty at the end. */
  choices: string[];
  isOver: boolean;
  /** Such as `oversold: 5 claims, 4 slots`. Null before the end. */
  verdict: string | null;
  deadlock: Deadlock | null;
  /** The committed state. */
  committed: ShownState;
  /** The effects outside the database, in their order. */
  ledger: LedgerLine[];
  locks: Locks;
}

/** An effect outside the database, such as a mail. */
export interface LedgerLine {
  /** The program that runs afterwards has the next number after the sessions. */
  session: number;
  /** Such as `send mail 1`. */
  text: string;
  /** Such as `accepted`. Empty if the effect has no answer. */
  result: string;
}

export interface PlayedSession {
  session: number;
  status: Status;
  /** Whether the process has died. A lone write of the process may still wait for a lock. */
  isDead: boolean;
  /** The next statement, or the statement that waits. Null if we know none. */
  statement: string | null;
  waitsFor: number[];
  transaction: OpenTransaction | null;
}

export interface PlayRequest extends Addressed {
  situation: Situation;
  sessions: number;
  schedule: string[];
}

/** Even 200 steps take less time than this. Only a schedule that never ends takes longer. */
const PATIENCE_MS = 4_000;
/**
 * How long a schedule that cannot be followed is tried again. PostgreSQL may wake two sessions at
 * once, in any order, so a later try may succeed.
 */
const TRY_AGAIN_MS = 1_000;

/**
 * Plays a schedule from its beginning, and reads the state after it. If the result is a string, it
 * says why the schedule is impossible.
 */
export async function play(stage: Stage, request: PlayRequest): Promise<PlayState | string> {
  const { chapter, strategy, situation } = request;
  const sessions = sessionsIn(situation, request.sessions);
  const first = await firstStatements(stage, request, situation, sessions);
  const deadline = Date.now() + TRY_AGAIN_MS;
  for (;;) {
    const trial = chapter.trial(strategy, situation, sessions);
    const execution = await Execution.start(stage, trial);
    const failure = await follow(execution, request.schedule).catch(asHang);
    if (typeof failure !== 'string') return await look(stage, request, execution, first, failure);
    // With two sessions, PostgreSQL never wakes both at once, so another try would not help.
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

/** A session that waits in memory may come back by itself. Then there is a choice. */
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
  { chapter, strategy }: PlayRequest,
  execution: Execution,
  first: string[],
  hang: Hang | undefined,
): Promise<PlayState> {
  const { entries, pids } = execution;
  // The program that runs afterwards is no session.
  const actors = execution.actors.slice(0, execution.sessions);
  const isOver = execution.isOver() || hang !== undefined;
  const locks = await readLocks(stage, chapter, pids);
  const transactions = await readTransactions(stage, execution);
  const end = await endOf(execution, hang);
  const committed = await chapter.readState(stage.admin, strategy);
  // Sessions that never ended still have open transactions, so we end these sessions.
  if (hang) await stage.abandon();
  const endings = execution.actors.map(({ ending }) => ending);
  return {
    told: tell({ sessions: actors.length, entries, endings, ...end }),
    sessions: actors.map((actor, index) => ({
      session: actor.number,
      status: actor.status,
      isDead: actor.isDead,
      statement: statementOf(actor, first[index]),
      waitsFor: actor.waitsFor,
      transaction: transactions[index] ?? null,
    })),
    choices: isOver ? [] : execution.choices(),
    isOver,
    verdict: isOver ? [end.faults.join(', '), end.summary].filter(Boolean).join(': ') : null,
    deadlock: findDeadlock(execution),
    committed,
    ledger: ledgerOf(entries),
    locks,
  };
}

/** The effects so far. No rollback takes them back. */
const ledgerOf = (entries: Entry[]): LedgerLine[] =>
  entries
    .flatMap(({ acts }) => acts)
    .flatMap(({ session, step, result }) => {
      if (!step.effect || !result) return [];
      return [{ session, text: step.effect.text, result: readableResult(step, result) }];
    });

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
