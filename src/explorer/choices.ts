import type { Actor } from './actor.ts';
import { isStep, sessionOf } from './choice.ts';
import type { Guard } from './gatekeeper.ts';
import { Polls } from './polls.ts';
import { mayFail, mayLoseAnswer, readsClock, type Step, type StepResult } from './step.ts';
import type { Trial } from './trial.ts';

/** One session, with its gate and the number of its process. */
export interface Seat {
  actor: Actor;
  gate: Guard;
  process: number;
}

/**
 * The choices of the scheduler:
 *
 * - `1`: session 1 makes its next step. If this step is the answer to the client, the choice is
 *   `.1`.
 * - `t`: time passes.
 * - `k1`: the process of session 1 dies, with all sessions of this process.
 * - `l1`: session 1 makes its next step, but loses the answer to this step.
 * - `d1`: session 1 answers its client, and then its process dies.
 * - `x1`: the connection of session 1 is cut.
 * - `f1`: session 1 sends its next statement, and the statement fails.
 */
export class Choices {
  readonly #trial: Trial;
  readonly #seats: readonly Seat[];
  /** The first step of each session, for sessions that have not begun. */
  readonly #first: readonly (Step | undefined)[];
  readonly #cut = new Set<number>();
  #deaths = 0;
  #lostAnswers = 0;
  #timePassed = false;
  #hasFailed = false;
  #hasChanged = false;
  /** The session of the last step. */
  #last = 0;
  readonly #polls = new Polls();

  constructor(trial: Trial, seats: readonly Seat[], first: readonly (Step | undefined)[]) {
    this.#trial = trial;
    this.#seats = seats;
    this.#first = first;
  }

  /** Counts a choice that was made. */
  made(choice: string) {
    if (!isStep(choice)) this.#polls.moved();
    if (choice === 't') this.#timePassed = true;
    if (/^[kd]/.test(choice)) this.#deaths++;
    if (choice.startsWith('l')) this.#lostAnswers++;
    if (choice.startsWith('x')) this.#cut.add(sessionOf(choice));
    if (choice.startsWith('f')) this.#hasFailed = true;
    this.#last = /^[.lf]?\d/.test(choice) ? sessionOf(choice) : 0;
  }

  /** Notes a step of a session that has returned. */
  happened(session: number, step: Step, result: StepResult) {
    if (step.effect || /^commit$/i.test(step.text)) this.#hasChanged = true;
    this.#polls.note(session, step, result);
  }

  now(): string[] {
    const ready = this.#polls.inFairness(
      this.#seats.filter((seat) => seat.actor.status === 'ready' && !this.#isTooEarly(seat)),
      numberOf,
    );
    if (this.#trial.hasPrologue && this.#mayTimePass(ready)) return ['t'];
    return [
      ...ready.map((seat) => (this.#isAnswer(seat) ? `.${numberOf(seat)}` : `${numberOf(seat)}`)),
      ...(this.#mayTimePass(ready) ? ['t'] : []),
      ...this.#mortal().map((seat) => `k${numberOf(seat)}`),
      ...ready.filter((seat) => this.#mayLose(seat)).map((seat) => `l${numberOf(seat)}`),
      ...ready.filter((seat) => this.#mayDieAfter(seat)).map((seat) => `d${numberOf(seat)}`),
      ...this.#seats.filter((seat) => this.#mayCut(seat)).map((seat) => `x${numberOf(seat)}`),
      ...ready.filter((seat) => this.#mayFail(seat)).map((seat) => `f${numberOf(seat)}`),
    ];
  }

  /** Whether a step was repeated, and whether a session that polls had to wait. */
  get polls(): Pick<Polls, 'hasRepeats' | 'hasHeldBack'> {
    return this.#polls;
  }

  /** Whether session 1 still runs alone. */
  get #isPrologue(): boolean {
    return this.#trial.hasPrologue === true && this.#seats[0]?.actor.status !== 'ended';
  }

  /** Whether the prologue is over, and the other sessions have not begun. */
  get #isAfterPrologue(): boolean {
    const [first, ...others] = this.#seats;
    return first?.actor.status === 'ended' && others.every(({ actor }) => !actor.isStarted);
  }

  /** Whether an earlier session must begin before this session. */
  #isTooEarly({ actor }: Seat): boolean {
    if (this.#isPrologue) return actor.number !== 1;
    if (!this.#trial.beginsInOrder || actor.isStarted) return false;
    const first = this.#seats.find(
      (seat) => seat.actor.status === 'ready' && !seat.actor.isStarted,
    );
    return first?.actor !== actor;
  }

  /** Whether the sessions run in the same process, so they may share memory. */
  shareProcess(one: number, other: number): boolean {
    return this.#seats[one - 1]?.process === this.#seats[other - 1]?.process;
  }

  #stepOf({ actor }: Seat): Step | undefined {
    return actor.isStarted ? actor.step : this.#first[actor.number - 1];
  }

  #isAnswer(seat: Seat): boolean {
    return this.#stepOf(seat)?.effect?.isAnswer === true;
  }

  /**
   * Whether time may pass now. Usually time passes at most once, before a step that reads the clock
   * or while a session sleeps. Time does not pass before the first commit or effect, because
   * nothing could end yet, unless the set-up may make a lease. If no session can make a step and a session sleeps, time passes as often as
   * needed.
   */
  #mayTimePass(ready: Seat[]): boolean {
    const asleep = this.#seats.some(({ actor }) => actor.status === 'asleep');
    if (asleep && ready.length === 0) return true;
    const mayEnd = this.#hasChanged || this.#trial.hasLeases;
    if (!this.#trial.timePasses || this.#timePassed || !mayEnd) return false;
    if (this.#trial.hasPrologue) return this.#isAfterPrologue;
    return asleep || ready.some((seat) => isTimed(this.#stepOf(seat)));
  }

  /** The first session of each process that may die now. */
  #mortal(): Seat[] {
    if (this.#deaths >= (this.#trial.deaths ?? 0)) return [];
    if (this.#trial.hasPrologue && !this.#isPrologue) return [];
    const processes = new Set(this.#seats.map(({ process }) => process));
    return [...processes].flatMap((process) => {
      const seats = this.#seats.filter((seat) => isIn(process, seat, this.#trial));
      return mayDie(seats, this.#last) ? (seats[0] ?? []) : [];
    });
  }

  #mayLose(seat: Seat): boolean {
    const step = this.#stepOf(seat);
    return (
      this.#lostAnswers < (this.#trial.lostAnswers ?? 0) &&
      step !== undefined &&
      mayLoseAnswer(step)
    );
  }

  #mayDieAfter(seat: Seat): boolean {
    return this.#isAnswer(seat) && this.#deaths < (this.#trial.deaths ?? 0);
  }

  #mayFail(seat: Seat): boolean {
    const step = this.#stepOf(seat);
    return (
      this.#trial.fails === numberOf(seat) &&
      !this.#hasFailed &&
      seat.gate.canFail &&
      step !== undefined &&
      mayFail(step)
    );
  }

  #mayCut({ actor: { number, status } }: Seat): boolean {
    const isAllowed = this.#trial.cuts?.includes(number) && !this.#cut.has(number);
    return isAllowed === true && status !== 'ended' && status !== 'asleep';
  }
}

/**
 * Whether the process runs this session now. If processes start again after a death, a session that
 * has not begun runs in the new process.
 */
export const isIn = (process: number, { actor, ...seat }: Seat, { died }: Trial): boolean =>
  seat.process === process && (died === undefined || actor.isStarted);

const numberOf = ({ actor }: Seat) => actor.number;

const isTimed = (step: Step | undefined) => step !== undefined && readsClock(step);

/**
 * Whether a process with these sessions may die now. `last` is the session that made the last step.
 *
 * A death rolls back an open transaction and frees locks, so the moment of the death matters. If a
 * process has no transaction and no lock, its death has the same effect now and just before its
 * next step. So such a process may die only right after one of its own steps. An autocommit write
 * is one message to PostgreSQL, so the process never dies between the write and the commit.
 */
function mayDie(seats: readonly Seat[], last: number): boolean {
  const open = seats.filter(({ actor }) => actor.isStarted && actor.status !== 'ended');
  if (open.length === 0 || open.some(({ gate }) => gate.isBetweenHalves)) return false;
  const holds = open.some(({ actor, gate }) => gate.holdsSomething && actor.status !== 'waiting');
  return holds || seats.some(({ actor }) => actor.number === last);
}
