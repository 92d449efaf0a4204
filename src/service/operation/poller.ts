import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { compiled } from '../../platform/db/compiled.ts';
import { pause } from '../../platform/waiting/backoff.ts';
import { ANY_UNFINISHED } from '../queue/claim.ts';
import { ANY_UNRELAYED } from '../webhooks/relay/relay.ts';
import { IS_SIGN_DUE } from './restores.ts';

/** The time between two questions, in milliseconds. */
export const POLL_MS = 1_000;
/** The time between two questions after `QUIET_ANSWERS` answers in a row without a task or event. */
const QUIET_POLL_MS = 2_000;
const QUIET_ANSWERS = 5;

/** What the idle loops of a process wait for. */
export interface Polled {
  /** Whether any task is unfinished, even if it is not due. */
  hasTask: boolean;
  /** Whether any event waits for a relay, even if the event is set aside. */
  hasEvent: boolean;
  /** Whether a worker should write into the database that it is alive here. */
  isSignDue: boolean;
}

/**
 * Asks the database once a second, for all idle loops of a process. If nothing happens for some
 * seconds, it asks every two seconds. PostgreSQL needs 0.6 to 1.1 ms to answer a session that was
 * asleep, and 0.08 ms if the session was awake. So the number of questions counts, and we ask once
 * for all three loops.
 */
export class Poller {
  readonly #db: Database;
  readonly #stop: AbortSignal | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #next: Promise<Polled> | undefined;
  /** The number of answers in a row without a task or event. */
  #quiet = 0;

  /** After `stop`, the poller asks nothing. */
  constructor(db: Database, stop?: AbortSignal) {
    this.#db = db;
    this.#stop = stop;
  }

  /**
   * Resolves with the answer to the next question. This question begins after the call, and at most
   * two seconds later. Rejects if the database does not answer. Never settles after a stop.
   */
  next(): Promise<Polled> {
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<Polled> {
    const betweenMs = this.#quiet < QUIET_ANSWERS ? POLL_MS : QUIET_POLL_MS;
    await pause(this.#askedAt + betweenMs - performance.now(), this.#stop);
    if (this.#stop?.aborted) return new Promise(() => undefined);
    this.#next = undefined;
    this.#askedAt = performance.now();
    const quiet = this.#quiet;
    // Only a quiet answer counts on. So after a failed question, the next one comes in a second.
    this.#quiet = 0;
    const polled = await poll(this.#db);
    if (!polled.hasTask && !polled.hasEvent) this.#quiet = quiet + 1;
    return polled;
  }
}

// The sessions of a worker read tables only through indexes. So each part has a condition or an
// order that fits an index.
const POLL = compiled(sql`
  select (${ANY_UNFINISHED}) as has_task, (${ANY_UNRELAYED}) as has_event,
    (${IS_SIGN_DUE}) as is_sign_due`);

async function poll(db: Database): Promise<Polled> {
  const [row] = await db.execute<Row>(POLL({}));
  return {
    hasTask: row?.has_task === true,
    hasEvent: row?.has_event === true,
    isSignDue: row?.is_sign_due === true,
  };
}

/** A row as the driver returns it. A part without a row is null. */
type Row = Record<'has_task' | 'has_event' | 'is_sign_due', boolean | null>;
