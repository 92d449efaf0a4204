import type { Session } from '../../platform/db/session.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { until } from '../../platform/waiting/until.ts';
import { sessionOf as sessionOfChoice } from '../choice.ts';
import type { Databases } from '../databases.ts';
import { type Exploration, type Played, explore as playAll } from '../explore.ts';
import { isOneAfterAnother } from '../serial.ts';
import { tell } from '../tell.ts';
import type { Ending, Trial } from '../trial.ts';
import { WireStage } from '../wire/stage.ts';
import { bounded, createClock, dbOf, empty, useClock } from './database.ts';
import { lineOf } from './message.ts';
import { type RunnableSession, sessionOf } from './sessions.ts';
import type { Answer, Exploring, Violation } from './types.ts';

const USUAL = { schedules: 500, seconds: 60, secondsPerStep: 10 };
/**
 * The time after which we assume that a session waits in memory for another session. Before this
 * time, a session may work outside of PostgreSQL. A process of its own may compute for longer.
 */
const PATIENCE_MS = { local: 2_000, remote: 5_000 };
/** The time of a session that runs alone. The first run may load a driver and open a pool. */
const ALONE_MS = 30_000;

const SILENT =
  'has sent no statement to the address that it got. It must connect to `url`, or to DATABASE_URL ' +
  'in a process of its own.';

/** A driver may close its connections a moment after the end of the function. */
const CLOSES_MS = 1_000;

/** Programs of the package connect by themselves, so they get no database of Drizzle. */
const NO_DATABASES: Databases = {
  codecs: { parsers: {}, serializers: {} },
  over: () => ({}) as never,
};

/** A lane of one exploration: a stage with its sessions and its trial. */
export class Scene<Names extends string = string> {
  readonly order: Exploring<Names>;
  readonly names: readonly Names[];
  readonly stage: WireStage;
  readonly trial: Trial;
  readonly #sessions: readonly RunnableSession[];
  readonly #stop = new AbortController();
  /** The runs that go on, by the number of their session, from 1. */
  readonly #runs = new Map<number, AbortController>();
  /** The sessions that failed alone, with their errors. A session that was too late has no error. */
  readonly #alone = new Map<number, { error?: unknown }>();
  #isRehearsing = true;

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
    const { secondsPerStep = USUAL.secondsPerStep, steps, connections } = order.most ?? {};
    const locals = names.flatMap((name, index) =>
      typeof order.sessions[name] === 'function' ? [index + 1] : [],
    );
    let scene: Scene<Names> | undefined;
    const stage = new WireStage(url, {
      sessions: names.length,
      names,
      databases: NO_DATABASES,
      hasLabTime: order.time === true,
      patienceMs: locals.length === names.length ? PATIENCE_MS.local : PATIENCE_MS.remote,
      aloneMs: ALONE_MS,
      mayLackRights: true,
      locals,
      onLeave: (session: number) => scene?.leave(session),
      ...(connections !== undefined && { connections }),
      limits: { stepMs: secondsPerStep * 1000, ...(steps !== undefined && { steps }) },
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
      setUp: (admin) => this.#setUp(admin),
      sessions: this.names.map((_, index) => () => this.#run(index + 1)),
      ...(order.crashes !== undefined && { deaths: order.crashes }),
      ...(order.lostAnswers !== undefined && { lostAnswers: order.lostAnswers }),
      // The set-up may make a lease.
      ...(order.time && { timePasses: true, hasLeases: true }),
      died: (process) => this.leave(process),
      judge: async (admin, endings) => {
        const broken = await this.#check(admin, endings);
        return { faults: broken ? ['broken'] : [], summary: '', cause: broken?.error };
      },
    };
  }

  async #setUp(admin: Session) {
    for (const run of this.#runs.values()) run.abort();
    this.#runs.clear();
    await empty(admin);
    await this.#bounded('setUp', async () => this.order.setUp(dbOf(admin)));
    // A server may read its tables when it starts.
    for (const session of this.#sessions) await session.makeReady();
  }

  #bounded<T>(what: string, work: () => Promise<T>): Promise<T> {
    return bounded(this.stage.admin, what, this.stage.limits.stepMs, work());
  }

  async #run(session: number): Promise<unknown> {
    const left = new AbortController();
    this.#runs.set(session, left);
    try {
      return await this.#sessions[session - 1]?.run(left.signal);
    } catch (error) {
      if (this.#isRehearsing && !this.#alone.has(session)) this.#alone.set(session, { error });
      throw error;
    }
  }

  /** Tells a session (from 1) that nobody waits for its answer. */
  leave(session: number) {
    // A session that must end in the rehearsal was too late.
    if (this.#isRehearsing) this.#alone.set(session, {});
    this.#runs.get(session)?.abort();
  }

  /** Returns why the rule is broken. Undefined if the rule holds. */
  async #check(admin: Session, endings: readonly Ending[]) {
    const pairs = this.names.map((name, index) => [name, endings[index] as Answer] as const);
    const answers = Object.fromEntries(pairs) as Record<Names, Answer>;
    const hasLabTime = this.order.time === true;
    await useClock(admin, hasLabTime);
    let result: unknown;
    try {
      result = await this.#bounded('holds', async () =>
        this.order.holds(dbOf(admin, hasLabTime), answers),
      );
    } catch (error) {
      if (error instanceof UsageError) throw error;
      return { error };
    }
    if (result === false) return { error: new Error('holds returned false') };
    if (result || result === undefined) return undefined;
    throw new UsageError(`holds returned ${String(result)}. For a broken rule, it returns false.`);
  }

  /**
   * Runs each session once alone. Throws if a session fails alone, or sends no statement to its
   * address. Schedules of such a session would prove nothing.
   */
  async rehearse() {
    await this.stage.prepare(this.trial);
    this.#isRehearsing = false;
    const [failed] = this.#alone;
    if (failed) throw this.#failedAlone(...failed);
    const [silent] = this.stage.silent;
    if (silent !== undefined) throw new UsageError(`${this.names[silent - 1]} ${SILENT}`);
    await this.#assertClosed();
  }

  /**
   * Throws if a function has left a connection open. At the end of the exploration, the driver would
   * report that the connection was lost, and nobody would listen.
   */
  async #assertClosed() {
    for (const [index, name] of this.names.entries()) {
      if (typeof this.order.sessions[name] !== 'function') continue;
      const isClosed = () => this.stage.connectionsOf(index + 1) === 0;
      if (await until(isClosed, { everyMs: 10, withinMs: CLOSES_MS })) continue;
      throw new UsageError(
        `${name} leaves a connection open when it ends. It must close its connections, such as by ` +
          'client.end() or pool.end().',
      );
    }
  }

  #failedAlone(session: number, failure: { error?: unknown }): UsageError {
    const name = this.names[session - 1];
    if (!('error' in failure))
      return new UsageError(
        `${name} has not ended after ${ALONE_MS / 1000} s, although it ran alone.`,
      );
    const { error: cause } = failure;
    const line = `${name} fails even when it runs alone: ${lineOf(cause)}`;
    const isSilent = this.stage.silent.includes(session);
    return new UsageError(isSilent ? `${line}. It ${SILENT}` : line, { cause });
  }

  /** Plays the schedules in this scene, and in the scenes beside it. */
  searchAll(
    beside: readonly Scene[],
    onPlayed: (played: Played, number: number) => void,
  ): Promise<Exploration> {
    const { most, onSchedule, counts } = this.order;
    return playAll(this.stage, this.trial, {
      most: most?.schedules ?? USUAL.schedules,
      mostMs: (most?.seconds ?? USUAL.seconds) * 1000,
      endsAfter: (played) => !counts && this.#faultOf(played) !== undefined,
      beside,
      onPlayed,
      stop: this.#stop.signal,
      ...(onSchedule && { onSchedule }),
    });
  }

  /** Returns the fault that breaks the rule. Undefined if there is none. */
  #faultOf(played: Played): 'hang' | 'error' | 'broken' | undefined {
    if (played.faults.includes('hang')) return 'hang';
    if (!this.order.mayFail && this.#failedOf(played)) return 'error';
    return played.faults.includes('broken') ? 'broken' : undefined;
  }

  /** Returns the session that failed, and its error. A session whose answer was lost may fail. */
  #failedOf({ endings, schedule }: Played): { index: number; error: unknown } | undefined {
    const lost = schedule.filter((choice) => choice.startsWith('l')).map(sessionOfChoice);
    for (const [index, ending] of endings.entries())
      if ('error' in ending && !lost.includes(index + 1)) return { index, error: ending.error };
    return undefined;
  }

  /** Returns why the schedule breaks the rule. Undefined if it does not. */
  violationOf(played: Played, number: number): Violation | undefined {
    const fault = this.#faultOf(played);
    if (fault === undefined) return undefined;
    const error = fault === 'error' ? this.#failedOf(played)?.error : played.cause;
    return {
      rule: this.#ruleOf(fault, played, error),
      number,
      schedule: played.schedule.join(),
      transcript: tell({ ...played, summary: '' }, this.names).transcript,
      error: fault === 'hang' ? undefined : error,
      isNoRace: isOneAfterAnother(played.schedule),
    };
  }

  #ruleOf(fault: 'hang' | 'error' | 'broken', played: Played, error: unknown): string {
    if (fault === 'hang') return `a schedule does not end: ${this.#named(played.summary)}`;
    if (fault === 'broken') return lineOf(error);
    return `${this.names[this.#failedOf(played)?.index ?? 0]} fails: ${lineOf(error)}`;
  }

  /** Replaces `S1` by the name of the session, and so on. */
  #named(text: string): string {
    return text.replace(/\bS([1-3])\b/g, (whole, digit) => this.names[Number(digit) - 1] ?? whole);
  }

  /** Ends the exploration, even in the middle of a step. */
  abort(reason: unknown) {
    this.#stop.abort(reason);
    for (const run of this.#runs.values()) run.abort();
    void this.stage.abandon().catch(() => undefined);
    void this.stage.admin.close(0);
  }

  async close() {
    for (const run of this.#runs.values()) run.abort();
    this.#stop.abort();
    try {
      await this.stage.close();
    } finally {
      await Promise.all(this.#sessions.map((session) => session.end()));
    }
  }
}
