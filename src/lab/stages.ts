import { Admission, type AdmissionLimits, type Unanswered } from '../claims/admission.ts';
import { prepareDatabase } from '../db/migrate.ts';
import { dropLeftovers, openScratch, type Scratch } from '../db/scratch.ts';
import { databaseError } from '../db/sqlstate.ts';
import { databaseName, unusable } from '../db/unusable.ts';
import { describe, PlainError } from '../errors.ts';
import { type Log, seldom } from '../log.ts';
import { Stage } from './explore/stage.ts';

export interface StagesLimits extends Pick<AdmissionLimits, 'queue' | 'waitMs' | 'answerMs'> {
  /** Stages at once; each is five connections. */
  most: number;
  /** How long a stage is kept for the next one who wants to use it. */
  idleMs: number;
}

interface Kept {
  stage: Stage;
  scratch: Scratch;
  drop?: NodeJS.Timeout;
}

/**
 * Stages to borrow, each over a scratch database of its own on the service's PostgreSQL: made when
 * they are needed, lent to one after the other, and dropped with their databases.
 */
export class Stages {
  readonly #databaseUrl: string;
  readonly #databaseName: string;
  readonly #idleMs: number;
  readonly #log: Log['error'];
  readonly #admission: Admission;
  readonly #all = new Set<Promise<Kept>>();
  readonly #idle: Promise<Kept>[] = [];

  /** The log calls the database by `name`. */
  constructor(
    databaseUrl: string,
    { most, idleMs, ...limits }: StagesLimits,
    log: Log,
    name = databaseName(databaseUrl),
  ) {
    this.#databaseUrl = databaseUrl;
    this.#databaseName = name;
    this.#idleMs = idleMs;
    this.#log = seldom(log);
    this.#admission = new Admission({ places: most, placesPerJob: most, ...limits }, this.#logLate);
  }

  /**
   * Lends a stage. `busy` when none was free in time, `unknown` when the work did not end in time.
   * After an error the stage is not lent again. What the work throws is thrown on, and
   * a `PlainError` where there can be no stage; the log has the cause.
   */
  use<T>(work: (stage: Stage) => Promise<T>): Promise<T | Unanswered> {
    return this.#admission.run(EVERYBODY, async () => {
      const lent = this.#idle.pop() ?? this.#make();
      try {
        const kept = await lent;
        clearTimeout(kept.drop);
        const result = await work(kept.stage);
        await kept.stage.clean();
        this.#keep(lent, kept);
        return result;
      } catch (error) {
        await this.#drop(lent);
        this.#tellOperator(error);
        throw error;
      }
    });
  }

  /** Drops every stage, those in use too. */
  async close() {
    await Promise.all([...this.#all].map((each) => this.#drop(each)));
  }

  #make(): Promise<Kept> {
    const made = makeStage(this.#databaseUrl);
    this.#all.add(made);
    return made;
  }

  #keep(lent: Promise<Kept>, kept: Kept) {
    // Dropped while it was in use, by who closed us.
    if (!this.#all.has(lent)) return;
    this.#idle.push(lent);
    kept.drop = setTimeout(() => void this.#drop(lent), this.#idleMs).unref();
  }

  async #drop(lent: Promise<Kept>) {
    if (!this.#all.delete(lent)) return;
    const at = this.#idle.indexOf(lent);
    if (at >= 0) this.#idle.splice(at, 1);
    const kept = await lent.catch(() => undefined);
    if (!kept) return;
    clearTimeout(kept.drop);
    await kept.stage.close();
    await kept.scratch.stop().catch(this.#logLate);
  }

  /** Callers are not told what is wrong with the database. */
  #tellOperator(error: unknown) {
    if (!databaseError(error)) return;
    const database = this.#databaseName;
    const { message } = error instanceof PlainError ? error : unusable(database, error);
    this.#log({ event: 'the lab cannot use its database', database, reason: message });
  }

  readonly #logLate = (error: unknown) =>
    this.#log({ event: 'a stage of the lab failed', error: describe(error) });
}

/** The admission counts by jobs; here all ask for the same. */
const EVERYBODY = 0n;

async function makeStage(databaseUrl: string): Promise<Kept> {
  const scratch = await openScratch(databaseUrl);
  try {
    await prepareDatabase(scratch.url);
  } catch (error) {
    await scratch.stop();
    throw error;
  }
  return { scratch, stage: new Stage(scratch.url) };
}

const IDLE_MS = 60_000;

/** A play takes milliseconds; one that hangs is given up before its answer is. */
export const PLAY_LIMITS: StagesLimits = {
  most: 2,
  idleMs: IDLE_MS,
  queue: 50,
  waitMs: 5_000,
  answerMs: 15_000,
};

/** An exploration may take an hour, and ends when its last listener leaves. */
export const EXPLORATION_LIMITS: StagesLimits = {
  most: 1,
  idleMs: IDLE_MS,
  queue: 0,
  waitMs: 0,
  answerMs: 3_600_000,
};

/** Twenty rounds of two strategies, of which each may wait for a lock as long as that is waited for. */
export const RACE_LIMITS: StagesLimits = { ...EXPLORATION_LIMITS, answerMs: 600_000 };

/** The stages of the lab's pages: nobody who plays waits for an exploration. */
export function openStages(databaseUrl: string, log: Log, name?: string) {
  const closing = new AbortController();
  const cleared = clearUp(databaseUrl, log, closing.signal);
  const plays = new Stages(databaseUrl, PLAY_LIMITS, log, name);
  const explorations = new Stages(databaseUrl, EXPLORATION_LIMITS, log, name);
  const races = new Stages(databaseUrl, RACE_LIMITS, log, name);
  const close = async () => {
    closing.abort();
    await cleared;
    await Promise.all([plays, explorations, races].map((stages) => stages.close()));
  };
  return { plays, explorations, races, close };
}

/** Drops the databases of servers that were killed, in the background: no request waits for that. */
async function clearUp(databaseUrl: string, log: Log, stop: AbortSignal) {
  const failures = await dropLeftovers(databaseUrl, stop).catch((error) => [describe(error)]);
  if (failures.length === 0 || stop.aborted) return;
  const event = 'scratch databases of killed processes could not be dropped';
  log.error({ event, count: failures.length, error: failures[0] });
}

export type LabStages = ReturnType<typeof openStages>;
