import { setImmediate as turn } from 'node:timers/promises';
import { databaseOver } from '../../db/client.ts';
import { Actor, type StepResult } from './actor.ts';
import { Gate, STEP_MODEL, type Step, type StepModel } from './gate.ts';
import type { Stage, StageSession } from './stage.ts';
import { Hang, Stillness } from './stillness.ts';
import type { Assessment, Ending, Trial } from './trial.ts';

/** One session's part in one step of the schedule. */
export interface Act {
  session: number;
  step: Step;
  /** The index, from 0, of the choice that sent the statement. */
  sentAt: number;
  /** Undefined while the statement waits. */
  result: StepResult | undefined;
  waitsFor: number[];
}

/** One choice of the scheduler, and everything that happened until no session moved. */
export interface Entry {
  choice: string;
  acts: Act[];
}

/** How long we wait for a session to come back by itself, such as from its own timer. */
const GRACE_MS = 2_000;
/** The most steps of a schedule. A strategy that needs more steps repeats its tries for ever. */
const MOST_STEPS = 200;

/**
 * One schedule while it is played. After each choice, the sessions run until none of them moves. A
 * choice is the number of a session, `t` to let time pass, or `x1` to cut S1's connection.
 */
export class Execution {
  readonly entries: Entry[] = [];
  readonly actors: Actor[];
  /** The process ids of the sessions' backends, in the order of the sessions. */
  readonly pids: number[];
  readonly #stage: Stage;
  readonly #trial: Trial;
  readonly #sessions: StageSession[];
  readonly #sentAt = new Map<number, number>();
  readonly #cut = new Set<number>();
  #timePassed = false;
  #committed = false;
  readonly #stillness: Stillness;

  private constructor(stage: Stage, trial: Trial, sessions: StageSession[], model: StepModel) {
    this.#stage = stage;
    this.#trial = trial;
    this.#sessions = sessions;
    this.actors = sessions.map((session, index) => this.#makeActor(session, index + 1, model));
    this.pids = sessions.map(({ pid }) => pid);
    this.#stillness = new Stillness(stage, this.pids, this.actors);
  }

  /** Sets up the tables, and returns a schedule without any step. */
  static async start(stage: Stage, trial: Trial, model: StepModel = STEP_MODEL) {
    const sessions = await stage.sessions(trial.sessions.length);
    await trial.setUp(stage.admin);
    return new Execution(stage, trial, sessions, model);
  }

  #makeActor(stageSession: StageSession, number: number, model: StepModel): Actor {
    const { sessions, rollsBack } = this.#trial;
    const program = sessions[number - 1];
    if (!program) throw new Error(`there is no program for session ${number}`);
    const actor = new Actor(
      number,
      () => program(db, actor.sleep),
      () => this.#stillness.changed(),
    );
    const doomed = rollsBack?.session === number ? rollsBack.after : undefined;
    const gate = new Gate(stageSession.session, actor, model, doomed);
    const db = databaseOver({ lend: (use) => gate.lend(use) }, this.#stage.codecs);
    stageSession.onWaiting = () => actor.waits();
    return actor;
  }

  /** The choices that the scheduler has now. Empty if no session can move. */
  choices(): string[] {
    const ready = this.actors.filter(({ status }) => status === 'ready');
    const open = this.actors.filter(({ status }) => status !== 'ended');
    const asleep = open.some(({ status }) => status === 'asleep');
    // Before the first commit the tables are as they were set up. They contain nothing that time
    // can end.
    const timed = this.#trial.passTime && !this.#timePassed && this.#committed && open.length > 0;
    // After the first commit, time may pass once at any point. Apart from this, time may pass only
    // if a session sleeps and no session is ready.
    const mayPass = timed || (asleep && ready.length === 0);
    const cuts = open.filter(({ number, status }) => this.#mayCut(number) && status !== 'asleep');
    return [
      ...ready.map(({ number }) => String(number)),
      ...(mayPass ? ['t'] : []),
      ...cuts.map(({ number }) => `x${number}`),
    ];
  }

  #mayCut(number: number): boolean {
    return (this.#trial.cuts?.includes(number) ?? false) && !this.#cut.has(number);
  }

  async step(choice: string) {
    if (this.entries.length >= MOST_STEPS)
      throw new Hang(`the schedule had not ended after ${MOST_STEPS} steps`);
    if (!this.choices().includes(choice)) throw new Error(`${choice} cannot be chosen now`);
    const entry: Entry = { choice, acts: [] };
    this.entries.push(entry);
    if (choice === 't') await this.#passTime();
    else if (choice.startsWith('x')) await this.#cutConnection(Number(choice.slice(1)));
    else this.#let(Number(choice));
    await this.#stillness.settle();
    for (const actor of this.actors) actor.started();
    this.#record(entry, choice);
  }

  #let(number: number) {
    this.#sentAt.set(number, this.entries.length - 1);
    this.actors[number - 1]?.go();
  }

  async #passTime() {
    this.#timePassed = true;
    await this.#trial.passTime?.(this.#stage.admin);
    for (const actor of this.actors) if (actor.status === 'asleep') actor.wake();
  }

  async #cutConnection(number: number) {
    this.#cut.add(number);
    const { pid, session } = this.#sessions[number - 1] as StageSession;
    await this.#stage.run('select pg_terminate_backend($1, 5000)', [pid]);
    while (session.isAlive()) await turn();
  }

  #record(entry: Entry, choice: string) {
    const chosenFirst = [...this.actors].sort(
      (a, b) => Number(String(b.number) === choice) - Number(String(a.number) === choice),
    );
    for (const actor of chosenFirst) {
      const { number, returned, status, step, waitsFor } = actor;
      const sentAt = this.#sentAt.get(number) ?? 0;
      if (returned && /^commit$/i.test(returned.step.text)) this.#committed = true;
      if (returned) entry.acts.push({ session: number, ...returned, sentAt, waitsFor: [] });
      else if (status === 'waiting' && step && String(number) === choice)
        entry.acts.push({ session: number, step, sentAt, result: undefined, waitsFor });
      actor.returned = undefined;
    }
  }

  isOver(): boolean {
    return this.actors.every(({ status }) => status === 'ended');
  }

  /**
   * Returns the sessions that can never go on. These sessions have not ended, the scheduler has no
   * choice, and within GRACE_MS no session came back by itself.
   */
  async stuck(): Promise<Actor[]> {
    const open = () => this.actors.filter(({ status }) => status !== 'ended');
    const deadline = Date.now() + GRACE_MS;
    while (open().length > 0 && this.choices().length === 0) {
      if (!(await this.#stillness.change(deadline - Date.now()))) return open();
      await this.#stillness.settle();
      const last = this.entries.at(-1);
      // A session came back by itself. Its result belongs to the last step.
      if (last) this.#record(last, '');
    }
    return [];
  }

  /** Judges the tables. All sessions must have ended. */
  judge(): Promise<Assessment> {
    const endings = this.actors.map(({ ending }) => ending as Ending);
    return this.#trial.judge(this.#stage.admin, endings);
  }
}
