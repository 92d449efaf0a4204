import { setImmediate as turn } from 'node:timers/promises';
import { Actor } from './actor.ts';
import { isStep, names, sessionOf } from './choice.ts';
import { Choices, isIn, type Seat } from './choices.ts';
import { commute, isUsual } from './commuting.ts';
import { gateOf } from './gate-of.ts';
import { assertPlayable, type IsDoomed } from './gatekeeper.ts';
import type { Stage, StageSession } from './stage.ts';
import { type Fate, STEP_MODEL, type Step, type StepModel, type StepResult } from './step.ts';
import { Hang, Stillness } from './stillness.ts';
import { type Assessment, type Ending, inAnyOrder, type Program, type Trial } from './trial.ts';
import { isCommit } from './words.ts';

/** One statement or effect of a session, within one step of the schedule. */
export interface Act {
  session: number;
  step: Step;
  /** The index of the choice that sent the statement, from 0. */
  sentAt: number;
  /** Undefined while the statement waits. */
  result: StepResult | undefined;
  waitsFor: number[];
}

/** One choice of the scheduler, and everything that happened until no session moved. */
export interface Entry {
  /** Empty if the scheduler had no choice, because the sessions had ended. */
  choice: string;
  /** Whether time passes. */
  timePasses: boolean;
  /**
   * Whether the clock of PostgreSQL jumps two days ahead. If false, time passes only for sleeping
   * sessions and outside the database.
   */
  clockJumps: boolean;
  /**
   * The leases and keys that ended when the clock jumped, such as `the lease of W1 on task 1 ends`.
   */
  runOut: readonly string[];
  /** The sessions whose process died at this choice. */
  dead: number[];
  /** The sessions that ended at this choice. */
  ended: number[];
  acts: Act[];
}

/** The first step of each session. Undefined if a session first waits in memory. */
export type FirstSteps = readonly (Step | undefined)[];

/** Facts that the caller already knows. */
export interface Start {
  model?: StepModel | undefined;
  /** If absent, the execution learns the first steps when it needs them. */
  first?: FirstSteps | undefined;
}

/**
 * The maximum time that we wait for a session to continue by itself, such as after its own timer. A
 * program that opens its own connections may work for as long as a step may take.
 */
const GRACE_MS = 2_000;

/**
 * One schedule while it is played. After each choice, the sessions run until none of them moves.
 * `Choices` lists the choices.
 */
export class Execution {
  readonly entries: Entry[] = [];
  /** The sessions. After their end, the list also has the program that runs afterwards. */
  readonly actors: Actor[] = [];
  readonly #stage: Stage;
  readonly #trial: Trial;
  readonly #model: StepModel;
  readonly #sessions: StageSession[];
  readonly #seats: Seat[] = [];
  readonly #sentAt = new Map<number, number>();
  readonly #first: FirstSteps;
  readonly #choices: Choices;
  readonly #stillness: Stillness;
  /** Whether a statement was played after which steps no longer commute (see `isUsual`). */
  #isUnusual = false;

  private constructor(
    stage: Stage,
    trial: Trial,
    sessions: StageSession[],
    model: StepModel,
    first: FirstSteps,
  ) {
    this.#stage = stage;
    this.#trial = trial;
    this.#model = model;
    this.#sessions = sessions;
    this.#stillness = new Stillness(stage, sessions, this.actors);
    for (const program of trial.sessions) this.#seat(program);
    this.#first = first;
    // Without this condition, the choices of a schedule would depend on what its caller knows.
    this.#choices = new Choices(trial, [...this.#seats], needsFirstSteps(trial) ? first : []);
  }

  /** Sets up the tables, and returns a schedule without any step. */
  static async start(stage: Stage, trial: Trial, { model = STEP_MODEL, first }: Start = {}) {
    const known = first ?? (needsFirstSteps(trial) ? await firstSteps(stage, trial, model) : []);
    const count = trial.sessions.length + (trial.afterwards ? 1 : 0);
    await stage.prepare(trial);
    const sessions = await stage.sessions(count);
    await trial.setUp(stage.admin);
    return new Execution(stage, trial, sessions, model, known);
  }

  get #graceMs(): number {
    const isRemote = this.#sessions.some(({ remote }) => remote);
    return isRemote ? Math.max(GRACE_MS, this.#stage.limits.stepMs) : GRACE_MS;
  }

  /** The process ids of the sessions' backends, in the order of the sessions. */
  get pids(): number[] {
    return this.#sessions.map(({ pid }) => pid);
  }

  /** The number of sessions. The program that runs afterwards does not count as a session. */
  get sessions(): number {
    return this.#trial.sessions.length;
  }

  #seat(program: Program): Seat {
    const number = this.#seats.length + 1;
    const stageSession = this.#sessions[number - 1];
    if (!stageSession) throw new Error(`there is no connection for session ${number}`);
    const { rollsBack, processes } = this.#trial;
    const actor: Actor = new Actor(
      number,
      () => run(actor.sleep, actor.effect),
      () => this.#stillness.changed(),
    );
    const isDoomed: IsDoomed | undefined =
      rollsBack?.session === number
        ? (pid) => this.#stage.hasWritten(pid, rollsBack.table)
        : undefined;
    const { gate, run } = gateOf(this.#stage, stageSession, program, actor, this.#model, isDoomed);
    stageSession.onWaiting = () => actor.waits();
    const seat = { actor, gate, process: processes?.[number - 1] ?? number };
    this.#seats.push(seat);
    this.actors.push(actor);
    return seat;
  }

  /** Returns the choices that the scheduler has now. Empty if no session can move. */
  choices(): string[] {
    return this.#choices.now();
  }

  /**
   * Whether two choices are steps of different processes that commute. Sessions of one process
   * share memory, so the order of their steps always matters.
   */
  commute(one: string, other: string): boolean {
    if (![one, other].every(isStep) || this.#isUnusual) return false;
    // After a repeat, the order of steps may decide which session has to wait (see `Polls`).
    if (this.#choices.polls.hasRepeats) return false;
    // A step may end a wait, and the session that has waited may commit at once.
    if (this.actors.some(({ status }) => status === 'waiting')) return false;
    const [first, second] = [sessionOf(one), sessionOf(other)];
    return (
      !this.#choices.shareProcess(first, second) &&
      commute(this.#nextStepOf(first), this.#nextStepOf(second))
    );
  }

  /** Returns the next step of a session. Undefined if we do not know the step. */
  #nextStepOf(session: number): Step | undefined {
    const actor = this.actors[session - 1];
    return actor?.isStarted ? actor.step : this.#first[session - 1];
  }

  /** Whether a session that polls had to wait for the others. */
  get hasHeldBack(): boolean {
    return this.#choices.polls.hasHeldBack;
  }

  async step(choice: string) {
    if (!this.choices().includes(choice)) throw new Error(`${choice} cannot be chosen now`);
    await this.#advance(choice, () => this.#make(choice));
  }

  /** Does `move`, and records everything that happens until no session moves. */
  async #advance(choice: string, move: () => unknown, timePasses = choice === 't') {
    const { steps } = this.#stage.limits;
    if (this.entries.length >= steps)
      throw new Hang(`the schedule had not ended after ${steps} steps`);
    const entry: Entry = {
      choice,
      timePasses,
      clockJumps: false,
      runOut: [],
      dead: [],
      ended: [],
      acts: [],
    };
    this.entries.push(entry);
    await move();
    await this.#settle(entry);
  }

  /** Waits until no session moves, and records what has happened. */
  async #settle(entry: Entry) {
    await this.#stillness.settle();
    this.#trial.assertIntact?.();
    for (const { refusal, ending } of this.actors) if (ending) assertPlayable(refusal, ending);
    for (const actor of this.actors) actor.started();
    this.#record(entry);
    if (this.#trial.onCommit && entry.acts.some(mayHaveCommitted))
      await this.#trial.onCommit(this.#stage.admin);
  }

  async #make(choice: string) {
    this.#choices.made(choice);
    if (choice === 't') return await this.#passTime();
    const number = sessionOf(choice);
    const seat = this.#seats[number - 1] as Seat;
    if (choice.startsWith('x')) return await this.#cutConnection(number);
    if (choice.startsWith('k')) return await this.#kill(seat);
    await this.#go(seat, { fate: fateOf(choice), diesThen: choice.startsWith('d') });
  }

  /**
   * Lets the session make its next step. Then kills the process if the choice says so, or if the
   * effect of the step kills the process.
   */
  async #go(seat: Seat, { fate, diesThen = false }: { fate?: Fate; diesThen?: boolean } = {}) {
    const { actor } = seat;
    const isDeadly = diesThen || actor.step?.effect?.kills;
    this.#sentAt.set(actor.number, this.entries.length - 1);
    actor.go(fate);
    if (!isDeadly) return;
    await this.#stillness.settle();
    await this.#kill(seat);
  }

  /** Kills the process of this session, with all sessions of this process. */
  async #kill(dying: Seat) {
    this.#trial.died?.(dying.process);
    const open = this.#seats.filter(
      (seat) => isIn(dying.process, seat, this.#trial) && seat.actor.status !== 'ended',
    );
    // A program may have ended with its answer to the client. Its process still dies.
    const dead = open.includes(dying) ? open : [dying, ...open];
    for (const { actor } of dead) {
      if (actor.status !== 'waiting') this.#sentAt.set(actor.number, this.entries.length - 1);
      this.entries.at(-1)?.dead.push(actor.number);
      actor.die();
    }
    // All sessions die at the same moment. Otherwise the death of the first session could free a
    // lock, and the second session could go on.
    await Promise.all(open.map(({ gate }) => gate.die()));
  }

  async #passTime({ always = false } = {}) {
    const entry = this.entries.at(-1);
    if (entry) entry.clockJumps = this.#trial.timePasses === true || always;
    if (entry?.clockJumps) await this.#stage.passTime();
    await this.#trial.passTime?.();
    if (entry?.clockJumps) entry.runOut = (await this.#trial.runOut?.(this.#stage.admin)) ?? [];
    for (const actor of this.actors) if (actor.status === 'asleep') actor.wake();
  }

  async #cutConnection(number: number) {
    const { pid, session } = this.#sessions[number - 1] as StageSession;
    await this.#stage.run('select pg_terminate_backend($1, 5000)', [pid]);
    while (session.isAlive()) await turn();
  }

  #record(entry: Entry) {
    const at = this.entries.indexOf(entry);
    const chosen = entry.choice === '' ? this.sessions + 1 : sessionOf(entry.choice);
    const isChosen = ({ number }: Actor) => Number(number === chosen);
    const chosenFirst = [...this.actors].sort((a, b) => isChosen(b) - isChosen(a));
    for (const { number: session, returned, status, step, waitsFor } of chosenFirst) {
      for (const [index, { step, result }] of returned.entries()) {
        // The first result may belong to a statement that has waited.
        const sentAt = index === 0 ? (this.#sentAt.get(session) ?? 0) : at;
        entry.acts.push({ session, step, result, sentAt, waitsFor: [] });
        this.#choices.happened(session, step, result);
        this.#isUnusual ||= !step.effect && !isUsual(step.text);
      }
      if (returned.length === 0 && status === 'waiting' && step && session === chosen)
        entry.acts.push({ session, step, sentAt: at, result: undefined, waitsFor });
      returned.length = 0;
      const isNew = !this.entries.some(({ ended }) => ended.includes(session));
      if (status === 'ended' && isNew) entry.ended.push(session);
    }
  }

  isOver(): boolean {
    return this.actors.every(({ status }) => status === 'ended');
  }

  /**
   * Returns the sessions that can never go on. These sessions have not ended, the scheduler has no
   * choice, and within the grace no session continued by itself.
   */
  async stuck(): Promise<Actor[]> {
    const open = () => this.actors.filter(({ status }) => status !== 'ended');
    while (open().length > 0 && this.choices().length === 0)
      if (!(await this.#comesBack())) return open();
    return [];
  }

  /**
   * Whether a session continues by itself within the grace. The result of this session belongs to
   * the last step.
   */
  async #comesBack(): Promise<boolean> {
    if (!(await this.#stillness.changeWithin(this.#graceMs))) return false;
    await this.#settle(this.entries.at(-1) as Entry);
    return true;
  }

  /**
   * Runs the program that comes afterwards, and judges the tables. All sessions must have ended.
   */
  async judge(): Promise<Assessment> {
    const endings = this.actors.map(({ ending }) => ending as Ending);
    const program = this.#trial.afterwards?.(endings);
    if (program) await this.#playAlone(program);
    const last = this.actors[endings.length]?.ending;
    return this.#trial.judge(this.#stage.admin, endings, last, this.pids);
  }

  /**
   * Plays the program that runs afterwards. Time passes first, unless `afterwardsAtOnce` is set.
   * Time passes again whenever the program sleeps.
   */
  async #playAlone(program: Program) {
    const letTimePass = () => this.#advance('', () => this.#passTime({ always: true }), true);
    if (!this.#trial.afterwardsAtOnce) await letTimePass();
    const seat = this.#seat(program);
    for (const { actor } = seat; actor.status !== 'ended'; ) {
      if (actor.status === 'asleep') await letTimePass();
      else if (actor.status === 'ready') await this.#advance('', () => this.#go(seat));
      else if (!(await this.#comesBack())) throw this.hangOf([actor]);
    }
  }

  /** Returns the error that says why these sessions can never go on. */
  hangOf(stuck: readonly Actor[]): Hang {
    const keepers = stuck.map(({ waitsFor }) =>
      waitsFor.filter((number) => this.#hasEnded(number)),
    );
    const said = stuck.map((actor, index) => this.#sayStuck(actor, keepers[index] ?? []));
    const isForKeptLock = keepers.some(({ length }) => length > 0);
    return new Hang(`${said.join(' and ')} never ended`, { isForKeptLock });
  }

  #hasEnded(number: number): boolean {
    return this.actors[number - 1]?.status === 'ended';
  }

  #sayStuck({ number, waitsFor }: Actor, keepers: number[]): string {
    const name = number > this.sessions ? 'the program that ran afterwards' : `S${number}`;
    if (waitsFor.includes(number))
      return `${name}, which waits for a lock of its own other connection,`;
    if (keepers.length === 0) return name;
    return `${name}, which waits for a lock that ${names(keepers)} kept after the end,`;
  }
}

function fateOf(choice: string): Fate {
  if (choice.startsWith('l')) return 'loses-answer';
  return choice.startsWith('f') ? 'fails' : 'runs';
}

/** Whether the act has committed, or we do not know this. */
const mayHaveCommitted = ({ step }: Act): boolean =>
  !step.effect && (!step.isInTransaction || isCommit(step.text));

/** Whether some choices depend on the first steps of the sessions. */
export const needsFirstSteps = ({ timePasses, lostAnswers, fails }: Trial): boolean =>
  Boolean(timePasses || lostAnswers || fails);

/**
 * Returns the first step of each session. To learn this step, we start each session once, alone. A
 * step that does not return stays unknown. Its schedules show the hang.
 */
export async function firstSteps(
  stage: Stage,
  trial: Trial,
  model?: StepModel,
): Promise<FirstSteps> {
  const alone = inAnyOrder(trial);
  const steps: (Step | undefined)[] = [];
  for (const [index] of trial.sessions.entries()) {
    const execution = await Execution.start(stage, alone, { model, first: [] });
    try {
      await execution.step(String(index + 1));
    } catch (error) {
      await stage.abandon();
      if (!(error instanceof Hang)) throw error;
    }
    steps.push(execution.entries[0]?.acts[0]?.step);
  }
  return steps;
}
