import { setImmediate as turn } from 'node:timers/promises';
import { databaseOver } from '../../db/client.ts';
import { withSleep } from '../clock.ts';
import { Actor, type StepResult } from './actor.ts';
import { Gate, STEP_MODEL, type Step, type StepModel } from './gate.ts';
import type { Ending, Scenario, Verdict } from './scenario.ts';
import type { Stage, StageSession } from './stage.ts';

/** What one session did in one step of the schedule. */
export interface Act {
  session: number;
  step: Step;
  /** The choice at which it was sent, from 0: earlier than this one where it had to wait. */
  sentAt: number;
  /** What came back; undefined while it waits. */
  result: StepResult | undefined;
  waitsFor: number[];
}

/** One choice of the scheduler, and all that happened until nothing moved. */
export interface Entry {
  choice: string;
  acts: Act[];
}

/** A session neither came back nor waited for another within the bound. */
export class Hang extends Error {
  override name = 'Hang';
}

/** Far longer than any statement of a few rows takes; only a fault lasts so long. */
const HANG_MS = 10_000;
/** What waits in memory alone, for a timer of its own say, gets so long to come back. */
const GRACE_MS = 2_000;
/** A strategy that has not ended by then tries for ever. */
const MOST_STEPS = 200;

/**
 * One schedule being played: choose, and everything runs until nothing moves any more. A choice is
 * the number of a session, `t` for time that passes, or `x` and a number for a cut connection.
 */
export class Execution {
  readonly entries: Entry[] = [];
  readonly actors: Actor[];
  readonly #stage: Stage;
  readonly #scenario: Scenario;
  readonly #sessions: StageSession[];
  readonly #sentAt = new Map<number, number>();
  readonly #cut = new Set<number>();
  #timePassed = false;
  #changed = () => {};

  private constructor(
    stage: Stage,
    scenario: Scenario,
    sessions: StageSession[],
    model: StepModel,
  ) {
    this.#stage = stage;
    this.#scenario = scenario;
    this.#sessions = sessions;
    this.actors = sessions.map((session, index) => this.#makeActor(session, index + 1, model));
  }

  /** Sets the scene; no session has made a step yet. */
  static async start(stage: Stage, scenario: Scenario, model: StepModel = STEP_MODEL) {
    const sessions = await stage.sessions(scenario.sessions.length);
    await scenario.setUp(stage.admin);
    return new Execution(stage, scenario, sessions, model);
  }

  #makeActor(stageSession: StageSession, number: number, model: StepModel): Actor {
    const { sessions, rollsBack } = this.#scenario;
    const program = sessions[number - 1];
    if (!program) throw new Error(`there is no program for session ${number}`);
    const actor = new Actor(
      number,
      () => withSleep(actor.sleep, () => program(db)),
      () => this.#changed(),
    );
    const doomed = rollsBack?.session === number ? rollsBack.after : undefined;
    const gate = new Gate(stageSession.session, actor, model, doomed);
    const db = databaseOver({ lend: (use) => use(gate) }, this.#stage.codecs);
    stageSession.onWaiting = () => actor.waits();
    return actor;
  }

  /** What the scheduler may choose now; nothing when all have ended or nothing can move. */
  choices(): string[] {
    const ready = this.actors.filter(({ status }) => status === 'ready');
    const open = this.actors.filter(({ status }) => status !== 'ended');
    const asleep = open.some(({ status }) => status === 'asleep');
    const timed = this.#scenario.passTime !== undefined && !this.#timePassed && open.length > 0;
    // Time passes once at any point; after that, when all that is left to do is to wait for it.
    const mayPass = timed || (asleep && ready.length === 0);
    const cuts = open.filter(({ number, status }) => this.#mayCut(number) && status !== 'asleep');
    return [
      ...ready.map(({ number }) => String(number)),
      ...(mayPass ? ['t'] : []),
      ...cuts.map(({ number }) => `x${number}`),
    ];
  }

  #mayCut(number: number): boolean {
    return (this.#scenario.cuts?.includes(number) ?? false) && !this.#cut.has(number);
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
    await this.#settle();
    for (const actor of this.actors) actor.started();
    this.#record(entry, choice);
  }

  #let(number: number) {
    this.#sentAt.set(number, this.entries.length - 1);
    this.actors[number - 1]?.go();
  }

  async #passTime() {
    this.#timePassed = true;
    await this.#scenario.passTime?.(this.#stage.admin);
    for (const actor of this.actors) if (actor.status === 'asleep') actor.wake();
  }

  async #cutConnection(number: number) {
    this.#cut.add(number);
    const { pid, session } = this.#sessions[number - 1] as StageSession;
    await this.#stage.run('select pg_terminate_backend($1, 5000)', [pid]);
    while (session.isAlive()) await turn();
  }

  /** Waits until nothing moves: each statement has come back, or waits for one of our sessions. */
  async #settle() {
    for (;;) {
      await this.#untilNoneRuns();
      // Twice: what came back resolves promises, and these may release others.
      await turn();
      await turn();
      if (this.#isRunning()) continue;
      if (await this.#seeWhoWaits()) return;
    }
  }

  #isRunning(): boolean {
    return this.actors.some(({ status }) => status === 'running');
  }

  async #untilNoneRuns() {
    const deadline = Date.now() + HANG_MS;
    while (this.#isRunning()) {
      if (!(await this.#change(deadline - Date.now())))
        throw new Hang('a statement did not return');
    }
  }

  /** True when a session changed its status, false when none did for so long. */
  #change(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), milliseconds);
      this.#changed = () => {
        clearTimeout(timer);
        this.#changed = () => {};
        resolve(true);
      };
    });
  }

  /** Asks PostgreSQL for whom each waiting session waits; false when one of them moves again. */
  async #seeWhoWaits(): Promise<boolean> {
    const waiting = this.actors.filter(({ status }) => status === 'waiting');
    if (waiting.length === 0) return true;
    const failed = this.actors.filter(({ returned }) => returned && 'error' in returned.result);
    const pids = this.#sessions.map(({ pid }) => pid);
    const activity = (await this.#stage.run(ACTIVITY, [pids])) as unknown as Activity[];
    const of = ({ number }: Actor) => activity.find(({ pid }) => pid === pids[number - 1]);
    // An error is told before the locks are given back: until then, who waits for whom is not true.
    if (failed.some((actor) => of(actor)?.active)) return false;
    const numbers = (blockers: number[]) =>
      blockers.map((pid) => pids.indexOf(pid) + 1).filter((number) => number > 0);
    let moved = false;
    for (const actor of waiting) {
      if (actor.status !== 'waiting') {
        // It came back while we asked.
        moved = true;
        continue;
      }
      actor.waitsFor = numbers(of(actor)?.blockers ?? []).sort();
      // Blocked by nobody, or by somebody else such as autovacuum: it goes on by itself.
      if (actor.waitsFor.length === 0) {
        actor.resume();
        moved = true;
      }
    }
    return !moved;
  }

  #record(entry: Entry, choice: string) {
    const chosenFirst = [...this.actors].sort(
      (a, b) => Number(String(b.number) === choice) - Number(String(a.number) === choice),
    );
    for (const actor of chosenFirst) {
      const { number, returned, status, step, waitsFor } = actor;
      const sentAt = this.#sentAt.get(number) ?? 0;
      if (returned) entry.acts.push({ session: number, ...returned, sentAt, waitsFor: [] });
      else if (status === 'waiting' && step && String(number) === choice)
        entry.acts.push({ session: number, step, sentAt, result: undefined, waitsFor });
      actor.returned = undefined;
    }
  }

  /** The sessions that can never go on: nothing is left to choose, and they have not ended. */
  async stuck(): Promise<Actor[]> {
    const open = () => this.actors.filter(({ status }) => status !== 'ended');
    const deadline = Date.now() + GRACE_MS;
    while (open().length > 0 && this.choices().length === 0) {
      if (!(await this.#change(deadline - Date.now()))) return open();
      await this.#settle();
    }
    return [];
  }

  /** The scenario's verdict on what is in the tables. For when all sessions have ended. */
  judge(): Promise<Verdict> {
    const endings = this.actors.map(({ ending }) => ending as Ending);
    return this.#scenario.judge(this.#stage.admin, endings);
  }
}

interface Activity {
  pid: number;
  blockers: number[];
  active: boolean;
}

const ACTIVITY = `select pid, pg_blocking_pids(pid) as blockers, state = 'active' as active
  from pg_stat_activity where pid = any($1::int[])`;
