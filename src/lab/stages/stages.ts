import type { Stage } from '../../explorer/stage.ts';
import { timeMigrations } from '../../explorer/time.ts';
import { databaseError } from '../../platform/db/sqlstate.ts';
import { databaseName, unusable } from '../../platform/db/unusable.ts';
import { openScratch, type Scratch } from '../../platform/postgres/scratch.ts';
import { describe, PlainError } from '../../platform/process/errors.ts';
import { type Log, seldom } from '../../platform/process/log.ts';
import {
  Admission,
  type AdmissionLimits,
  type Unanswered,
} from '../../platform/waiting/admission.ts';
import { prepareDatabase } from '../../service/database/migrate.ts';
import { chapters } from '../chapters/index.ts';
import { StoreError } from '../stores/store.ts';

/** Makes the tables of production and of all chapters. The database must be a scratch database. */
export const prepareLabDatabase = (url: string) =>
  prepareDatabase(url, { more: [timeMigrations, ...chapters.map(({ migrations }) => migrations)] });

/**
 * `places` is the number of stages that are lent at the same time. A stage has up to five
 * connections, or up to twenty-two in a race with crashes. A track has twenty-one connections.
 */
export interface StagesLimits extends Omit<AdmissionLimits, 'placesPerKey'> {
  /** How long an unused stage is kept for the next user. */
  idleMs: number;
}

/**
 * A stage or a track, with its own scratch database. Users borrow a stage or track one after the
 * other.
 */
export interface Lent {
  /** Removes everything that a user has left, before the next user comes. */
  clean(): Promise<void>;
  close(): Promise<void>;
}

interface Kept<L extends Lent> {
  lent: L;
  scratch: Scratch;
  drop?: NodeJS.Timeout;
}

/**
 * Lends stages or tracks. Each stage or track has its own scratch database, on the service's
 * PostgreSQL. A stage or track is made when a user needs it, and is dropped together with its
 * database.
 */
export class Stages<L extends Lent = Stage> {
  readonly #databaseUrl: string;
  readonly #databaseName: string;
  readonly #open: (url: string) => L | Promise<L>;
  readonly #idleMs: number;
  readonly #log: Log['error'];
  readonly #admission: Admission;
  readonly #all = new Set<Promise<Kept<L>>>();
  readonly #idle: Promise<Kept<L>>[] = [];

  /**
   * `open` makes a stage or track in a migrated database. `name` is the name of the database in the
   * log.
   */
  constructor(
    databaseUrl: string,
    { idleMs, ...limits }: StagesLimits,
    log: Log,
    open: (url: string) => L | Promise<L>,
    name = databaseName(databaseUrl),
  ) {
    this.#databaseUrl = databaseUrl;
    this.#databaseName = name;
    this.#open = open;
    this.#idleMs = idleMs;
    this.#log = seldom(log);
    this.#admission = new Admission(limits, this.#logLate);
  }

  /**
   * Lends a stage or track. Returns `busy` if none was free in time, and `unknown` if the work did
   * not end in time. After an error the stage or track is dropped. Throws the errors of the work,
   * and a `PlainError` if no stage or track can be made.
   */
  use<T>(work: (lent: L) => Promise<T>): Promise<T | Unanswered> {
    return this.#admission.run(async () => {
      const promised = this.#idle.pop() ?? this.#make();
      try {
        const kept = await promised;
        clearTimeout(kept.drop);
        const result = await work(kept.lent);
        await kept.lent.clean();
        this.#keep(promised, kept);
        return result;
      } catch (error) {
        // After `close`, the error only says that this stage is gone.
        const isClosed = !this.#all.has(promised);
        await this.#drop(promised);
        if (!isClosed) this.#tellOperator(error);
        throw error;
      }
    });
  }

  /** Drops all stages, even stages in use. */
  async close() {
    await Promise.all([...this.#all].map((each) => this.#drop(each)));
  }

  #make(): Promise<Kept<L>> {
    const made = makeStage(this.#databaseUrl, this.#open);
    this.#all.add(made);
    return made;
  }

  #keep(promised: Promise<Kept<L>>, kept: Kept<L>) {
    // If `close` has dropped this stage during its use, we do not keep the stage.
    if (!this.#all.has(promised)) return;
    this.#idle.push(promised);
    kept.drop = setTimeout(() => void this.#drop(promised), this.#idleMs).unref();
  }

  async #drop(promised: Promise<Kept<L>>) {
    if (!this.#all.delete(promised)) return;
    const at = this.#idle.indexOf(promised);
    if (at >= 0) this.#idle.splice(at, 1);
    const kept = await promised.catch(() => undefined);
    if (!kept) return;
    clearTimeout(kept.drop);
    await kept.lent.close();
    await kept.scratch.stop().catch(this.#logLate);
  }

  /**
   * Logs an error of the database or a store, since the answer to callers does not name the cause.
   */
  #tellOperator(error: unknown) {
    if (error instanceof StoreError)
      this.#log({ event: 'the lab cannot use a store', reason: error.message });
    if (!databaseError(error)) return;
    const { message } = error instanceof PlainError ? error : unusable('the database', error);
    const database = this.#databaseName;
    this.#log({ event: 'the lab cannot use its database', database, reason: message });
  }

  readonly #logLate = (error: unknown) =>
    this.#log({ event: 'a stage of the lab failed', error: describe(error) });
}

async function makeStage<L extends Lent>(
  databaseUrl: string,
  open: (url: string) => L | Promise<L>,
): Promise<Kept<L>> {
  const scratch = await openScratch(databaseUrl);
  try {
    await prepareLabDatabase(scratch.url);
    return { scratch, lent: await open(scratch.url) };
  } catch (error) {
    await scratch.stop();
    throw error;
  }
}
