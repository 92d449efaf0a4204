import { UsageError } from '../../platform/process/errors.ts';
import type { Databases } from '../databases.ts';
import { type Exploration, type Played, explore as playAll } from '../explore.ts';
import { isOneAfterAnother } from '../serial.ts';
import { tell } from '../tell.ts';
import type { Ending, Trial } from '../trial.ts';
import { WireStage } from '../wire/stage.ts';
import { createClock, dbOf, emptyThen } from './database.ts';
import { lineOf } from './message.ts';
import { type RunnableSession, sessionOf } from './sessions.ts';
import type { Answer, Exploring, Violation } from './types.ts';

const USUAL = { schedules: 500, seconds: 60 };
/**
 * The time after which we assume that a session waits in memory. A process of its own may compute for
 * longer before its next statement.
 */
const PATIENCE_MS = { local: 500, remote: 5_000 };

/** Programs of the package connect by themselves, so they get no database of Drizzle. */
const NO_DATABASES: Databases = {
  codecs: { parsers: {}, serializers: {} },
  over: () => ({}) as never,
};

/** The stage of one exploration, with its sessions and its trial. */
export class Scene<Names extends string = string> {
  readonly order: Exploring<Names>;
  readonly names: readonly Names[];
  readonly stage: WireStage;
  readonly trial: Trial;
  readonly #sessions: readonly RunnableSession[];
  readonly #stop = new AbortController();
  /** The runs that go on, in the order of the sessions. */
  readonly #runs = new Map<number, AbortController>();
  /** The errors of sessions that ran alone before the first schedule, in the order of the sessions. */
  readonly #alone = new Map<number, unknown>();
  #isRehearsing = true;
  /** The error of `holds` in the last schedule. */
  #broken: { error: unknown } | undefined;

  private constructor(order: Exploring<Names>, names: readonly Names[], stage: WireStage) {
    this.order = order;
    this.names = names;
    this.stage = stage;
    this.#sessions = names.map((name, index) =>
      sessionOf(name, order.sessions[name], stage.addresses[index] ?? '', this.#stop.signal),
    );
    this.trial = this.#makeTrial();
  }

  static async open<Names extends string>(
    url: string,
    order: Exploring<Names>,
    names: readonly Names[],
  ): Promise<Scene<Names>> {
    const { secondsPerStep, steps, connections } = order.most ?? {};
    const isLocal = Object.values(order.sessions).every((each) => typeof each === 'function');
    let scene: Scene<Names> | undefined;
    const stage = new WireStage(url, {
      sessions: names.length,
      databases: NO_DATABASES,
      hasLabTime: order.time === true,
      patienceMs: isLocal ? PATIENCE_MS.local : PATIENCE_MS.remote,
      mayLackRights: true,
      ...(isLocal && { onLeave: (session: number) => scene?.leave(session) }),
      ...(connections !== undefined && { connections }),
      limits: {
        ...(steps !== undefined && { steps }),
        ...(secondsPerStep !== undefined && { stepMs: secondsPerStep * 1000 }),
      },
    });
    try {
      await stage.listen();
      if (order.time) await createClock(stage.admin);
      scene = new Scene(order, names, stage);
      return scene;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  #makeTrial(): Trial {
    const { order } = this;
    return {
      setUp: async (admin) => {
        this.#broken = undefined;
        this.#abortRuns();
        for (const session of this.#sessions) await session.makeReady();
        await emptyThen(admin, order.setUp);
      },
      sessions: this.#sessions.map((_, index) => () => this.#run(index)),
      ...(order.crashes !== undefined && { deaths: order.crashes }),
      ...(order.lostAnswers !== undefined && { lostAnswers: order.lostAnswers }),
      ...(order.time && { timePasses: true }),
      died: (process) => this.leave(process),
      judge: async (admin, endings) => {
        this.#broken = await this.#check(() => order.holds(dbOf(admin), this.#answers(endings)));
        return { faults: this.#broken ? ['broken'] : [], summary: '' };
      },
    };
  }

  async #run(index: number): Promise<unknown> {
    const left = new AbortController();
    this.#runs.set(index, left);
    try {
      return await this.#sessions[index]?.run(left.signal);
    } catch (error) {
      if (this.#isRehearsing) this.#alone.set(index, error);
      throw error;
    }
  }

  /** Tells a session (from 1) that nobody waits for its answer. */
  leave(session: number) {
    this.#runs.get(session - 1)?.abort();
  }

  #abortRuns() {
    for (const run of this.#runs.values()) run.abort();
    this.#runs.clear();
  }

  #answers(endings: readonly Ending[]): Record<Names, Answer> {
    const pairs = this.names.map((name, index) => [name, endings[index] as Answer] as const);
    return Object.fromEntries(pairs) as Record<Names, Answer>;
  }

  async #check(holds: () => unknown): Promise<{ error: unknown } | undefined> {
    try {
      return (await holds()) === false ? { error: new Error('holds returned false') } : undefined;
    } catch (error) {
      return { error };
    }
  }

  /**
   * Runs each session once alone. Throws if a session fails alone, or sends nothing to its address.
   * The explorer could then show nothing.
   */
  async rehearse() {
    await this.stage.prepare(this.trial);
    this.#isRehearsing = false;
    for (const [index, error] of this.#alone) {
      const isSilent = this.stage.unconnected.includes(index + 1);
      if (this.order.mayFail && !isSilent) continue;
      throw new UsageError(`${this.names[index]} fails even when it runs alone: ${lineOf(error)}`, {
        cause: error,
      });
    }
    const [silent] = this.stage.unconnected;
    if (silent !== undefined)
      throw new UsageError(
        `${this.names[silent - 1]} has sent nothing to the address that it got. It must connect to ` +
          '`url`, or to DATABASE_URL in a process of its own.',
      );
  }

  /** The faults that break the rule. */
  get #gravest(): readonly string[] {
    return ['broken', 'hang', ...(this.order.mayFail ? [] : ['error'])];
  }

  searchAll(onPlayed: (played: Played, number: number) => void): Promise<Exploration> {
    const { most, onSchedule, signal } = this.order;
    return playAll(this.stage, this.trial, {
      most: most?.schedules ?? USUAL.schedules,
      mostMs: (most?.seconds ?? USUAL.seconds) * 1000,
      until: this.order.counts ? [] : this.#gravest,
      onPlayed,
      ...(onSchedule && { onSchedule }),
      ...(signal && { stop: signal }),
    });
  }

  /** Returns why the schedule breaks the rule. Undefined if it does not. */
  violationOf(played: Played, number: number): Violation | undefined {
    const fault = this.#gravest.find((each) => played.faults.includes(each));
    if (fault === undefined) return undefined;
    const error = this.#errorOf(fault, played);
    return {
      rule: this.#ruleOf(fault, played, error),
      number,
      schedule: played.schedule.join(),
      transcript: tell({ ...played, summary: '' }, this.names).transcript,
      error,
      isNoRace: isOneAfterAnother(played.schedule),
    };
  }

  #errorOf(fault: string, { endings }: Played): unknown {
    if (fault === 'broken') return this.#broken?.error;
    const failed = endings.find((ending) => 'error' in ending);
    return fault === 'error' && failed && 'error' in failed ? failed.error : undefined;
  }

  #ruleOf(fault: string, { endings, summary }: Played, error: unknown): string {
    if (fault === 'hang') return `a schedule does not end: ${summary}`;
    if (fault === 'broken') return lineOf(error);
    const index = endings.findIndex((ending) => 'error' in ending);
    return `${this.names[index]} fails: ${lineOf(error)}`;
  }

  async close() {
    this.#abortRuns();
    this.#stop.abort();
    await this.stage.close();
    await Promise.all(this.#sessions.map((session) => session.end()));
  }
}
