import type { Act, Entry } from '../execution.ts';
import type { Played } from '../explore.ts';
import type { Step, StepResult } from '../step.ts';
import { PASS_TIME } from '../time.ts';
import { asSql, NotForTester } from './statement.ts';
import { hasTime } from './values.ts';

/** The session of the isolation tester that lets time pass. */
export const CLOCK = 'clock';

/** A statement in the order in which the tester sends it. */
export interface Move {
  /** The number of the session, or `CLOCK`. */
  session: number | typeof CLOCK;
  sql: string;
  /** The index of the choice that sends the statement, from 0. */
  sentAt: number;
  /** The index of the choice after which the statement had returned. */
  returnedAt: number | undefined;
  /** Undefined if the result does not matter. */
  result: StepResult | undefined;
}

/** One schedule for the tester. */
export interface Permutation {
  schedule: string;
  moves: Move[];
  /** The effects outside the database, which the tester does not have. */
  effects: string[];
}

/** The statement that releases the session locks of a dead process. */
const RELEASE = 'select pg_advisory_unlock_all()';

/** Translates a schedule. Throws `NotForTester` if the tester cannot play the schedule. */
export function permutationOf(played: Played, movesTime: boolean): Permutation {
  if (played.faults.includes('hang')) throw new NotForTester('it never ends');
  if (played.schedule.some((choice) => choice.startsWith('x')))
    throw new NotForTester('a connection is cut');
  if (played.schedule.some((choice) => choice.startsWith('f')))
    throw new NotForTester('a statement fails');
  const translation = new Translation(played.entries, movesTime);
  const schedule = played.schedule.join(',');
  return { schedule, moves: translation.moves, effects: translation.effects };
}

class Translation {
  readonly moves: Move[] = [];
  readonly effects: string[] = [];
  readonly #sent = new Map<Step, Move>();
  readonly #results = new Map<Step, StepResult>();
  /** The dead sessions that have not released their session locks yet. */
  readonly #dead = new Set<number>();

  constructor(entries: Entry[], movesTime: boolean) {
    for (const { step, result } of entries.flatMap(({ acts }) => acts))
      if (result) this.#results.set(step, result);
    for (const [at, entry] of entries.entries()) this.#translate(entry, at, movesTime);
  }

  #translate({ choice, timePasses, acts, dead }: Entry, at: number, movesTime: boolean) {
    // For the program that runs afterwards, the clock of the database always moves ahead.
    if (timePasses && (movesTime || choice === ''))
      this.#send({ session: CLOCK, sql: asSql({ text: PASS_TIME, params: [] }) }, at);
    for (const each of dead) this.#dead.add(each);
    for (const act of acts) this.#act(act, at);
    for (const session of this.#dead) this.#release(session, at);
  }

  #act({ session, step, result }: Act, at: number) {
    if (step.effect) {
      this.effects.push(`S${session} ${step.effect.text}`);
      return;
    }
    const move = this.#sent.get(step) ?? this.#send({ session, sql: this.#sqlOf(step) }, at);
    this.#sent.set(step, move);
    if (!result) return;
    move.returnedAt = at;
    move.result = result;
  }

  #send({ session, sql }: Pick<Move, 'session' | 'sql'>, at: number): Move {
    const returnedAt = session === CLOCK ? at : undefined;
    const move: Move = { session, sql, sentAt: at, returnedAt, result: undefined };
    this.moves.push(move);
    return move;
  }

  /**
   * Returns the SQL of a step. A failing autocommit write needs no BEGIN, because PostgreSQL and
   * the gate both end its transaction at the error.
   */
  #sqlOf(step: Step): string {
    if (step.params.some(hasTime))
      throw new NotForTester('a statement has a time that was read before');
    const result = this.#results.get(step);
    const fails = result !== undefined && 'error' in result;
    const before = step.isAutocommit && fails ? [] : (step.before ?? []);
    return [...before, asSql(step)].join('; ');
  }

  /**
   * Lets a dead session release its locks. A session with a waiting statement releases them only
   * when the statement has returned.
   */
  #release(session: number, at: number) {
    const own = this.moves.filter((move) => move.session === session);
    const last = own.at(-1);
    if (last && last.returnedAt === undefined) return;
    this.#dead.delete(session);
    if (last?.sentAt === at && /^(rollback|commit)$/i.test(last.sql)) {
      last.sql += `; ${RELEASE}`;
      last.result = undefined;
    } else this.#send({ session, sql: RELEASE }, at).returnedAt = at;
  }
}
