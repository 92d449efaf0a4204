import { setImmediate as turn } from 'node:timers/promises';
import { databaseOver } from '../../db/client.ts';
import { Actor, type StepResult } from './actor.ts';
import { Gate, STEP_MODEL, type Step, type StepModel } from './gate.ts';
import type { Stage, StageSession } from './stage.ts';
import { Hang, Stillness } from './stillness.ts';
import type { Assessment, Ending, Trial } from './trial.ts';

/** The part of one session in one step of the schedule. */
export interface Act {
  session: number;
  step: Step;
  /** The choice at which the statement was sent, from 0. Earlier than now if the statement waited. */
  sentAt: number;
  /** Undefined while the statement waits. */
  result: StepResult | undefined;
  waitsFor: number[];
}

/** One choice of the scheduler, and everything that happened until nothing moved. */
export interface Entry {
  choice: string;
  acts: Act[];
}

/** A session that waits in memory, such as for a timer of its own, gets so long to come back. */
const GRACE_MS = 2_000;
/** A strategy that makes more steps than this tries for ever. */
const MOST_STEPS = 200;

/**
 * One schedule while it is played. After each choice, everything runs until nothing moves. A choice is
 * the number of a session, `t` for time that passes, or `x1` for a cut connection of session 1.
 */
export class Execution {
  readonly entries: Entry[] = [];
  readonly actors: Actor[];
  /** The backends of the sessions, in their order. */
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

  /** Sets up the tables. No session has made a step yet. */
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

  /** The choices of the scheduler now. None if all sessions have ended or nothing can move. */
  choices(): string[] {
    const ready = this.actors.filter(({ status }) => status === 'ready');
    const open = this.actors.filter(({ status }) => status !== 'ended');
    const asleep = open.some(({ status }) => status === 'asleep');
    // Before the first commit the tables are as they were set up, and nothing in them can end.
    const timed = this.#trial.passTime && !this.#timePassed && this.#committed && open.length > 0;
    // Time may pass once at any point. After that, it passes when every session waits for it.
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
      throw new Hang(`after ${MOST_STEPS} steps it still had not ended`);
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

  /** The sessions that can never go on. There is nothing to choose, and they have not ended. */
  async stuck(): Promise<Actor[]> {
    const open = () => this.actors.filter(({ status }) => status !== 'ended');
    const deadline = Date.now() + GRACE_MS;
    while (open().length > 0 && this.choices().length === 0) {
      if (!(await this.#stillness.change(deadline - Date.now()))) return open();
      await this.#stillness.settle();
      const last = this.entries.at(-1);
      // A session that came back by itself belongs to the step before.
      if (last) this.#record(last, '');
    }
    return [];
  }

  /** Judges the tables. All sessions have to be over. */
  judge(): Promise<Assessment> {
    const endings = this.actors.map(({ ending }) => ending as Ending);
    return this.#trial.judge(this.#stage.admin, endings);
  }
}
