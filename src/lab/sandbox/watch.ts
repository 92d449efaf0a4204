import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../platform/db/session.ts';
import type { Copy } from '../../platform/postgres/copies/copies.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { USUAL } from './limits.ts';
import { giveWay } from './priority.ts';
import { STUDENT } from './role.ts';

/**
 * A statement that has computed for longer than this time gets a lower priority. So the statement
 * slows the other runs less until the sandbox ends its server. An ordinary statement takes a
 * millisecond. We do not measure whole sessions, because even an ordinary session uses 100 ms of
 * processor time in 20 schedules.
 */
const GREEDY_MS = 100;
const MOST_DISK_BYTES = 48 * 1024 * 1024;
const LOOK_MS = 50;
/** The maximum time of one check of the server. A check usually takes milliseconds. */
const MOST_LOOK_MS = 2_000;
/**
 * The time between two checks of the answers. Ordinary answers bring a few kilobytes in this time.
 */
const READ_MS = 20;
const MOST_READ_BYTES = 256 * 1024;

interface Look {
  /** The size of the student's database in bytes. */
  size: number;
  /** The processes whose statement has computed for longer than `GREEDY_MS`. */
  greedy: number[];
  /**
   * How long the oldest running statement has run, in milliseconds. A statement that waits for a lock
   * does not count. The explorer itself finds such a statement.
   */
  longest: number;
}

/**
 * Watches the server of a run. Ends the server if a statement takes too long, writes too much data,
 * or returns too much data. PostgreSQL cannot interrupt every statement. Only the end of the server
 * ends every statement.
 */
export class Watch {
  /** The reason why the watch ended the server, in words for a person. */
  reason: string | undefined;
  readonly #server: Copy;
  readonly #keeper: Session;
  readonly #sockets: readonly Socket[];
  readonly #mostStatementMs: number;
  /** How many bytes had been read from each socket at the last check. */
  readonly #read = new Map<Socket, number>();
  readonly #reading: NodeJS.Timeout;
  readonly #leaving = new AbortController();
  readonly #looking: Promise<void>;
  /** The processes with a lowered priority. */
  readonly #lowered = new Set<number>();
  #sizeBefore: number | undefined;

  /**
   * `keeper` is a session of the superuser. `sockets` are the sockets of the student's sessions.
   */
  constructor(server: Copy, keeper: Session, sockets: readonly Socket[], mostStatementMs: number) {
    this.#server = server;
    this.#keeper = keeper;
    this.#sockets = sockets;
    this.#mostStatementMs = mostStatementMs;
    this.#reading = setInterval(() => this.#lookAtAnswers(), READ_MS);
    this.#looking = this.#watchServer();
  }

  async close() {
    clearInterval(this.#reading);
    this.#leaving.abort();
    await this.#looking;
  }

  /** Ends the server immediately. */
  end(reason: string) {
    if (this.reason) return;
    this.reason = reason;
    // The loop ends the answers. The end of the server ends the statements.
    for (const socket of this.#sockets) socket.destroy();
    void this.#server.end();
  }

  #lookAtAnswers() {
    for (const socket of this.#sockets) {
      const more = socket.bytesRead - (this.#read.get(socket) ?? 0);
      this.#read.set(socket, socket.bytesRead);
      if (more > MOST_READ_BYTES) this.end(TOO_LARGE);
    }
  }

  async #watchServer() {
    const { signal } = this.#leaving;
    while (!signal.aborted && !this.reason) {
      const found = await inTime(this.#look(), MOST_LOOK_MS, () => NOBODY_WATCHES).catch(
        () => NOBODY_WATCHES,
      );
      // A huge answer may also take too long. Then the reason must be its size, and not its time.
      this.#lookAtAnswers();
      if (found && !signal.aborted) this.end(found);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns the reason to end the server, or undefined if there is no reason. */
  async #look(): Promise<string | undefined> {
    const [row] = await this.#keeper.run({ text: LOOK, params: [], asArrays: false });
    const { size, greedy, longest } = row as Look;
    this.#sizeBefore ??= size;
    if (longest > this.#mostStatementMs) return sayTooLong(this.#mostStatementMs);
    if (size - this.#sizeBefore > MOST_DISK_BYTES) return TOO_MUCH_DATA;
    for (const pid of greedy.filter((each) => !this.#lowered.has(each))) {
      this.#lowered.add(pid);
      // We do not wait for the new priority, since the wait would delay the next check.
      void giveWay(pid);
    }
    return undefined;
  }
}

const LOOK = `
  select pg_database_size(current_database())::float8 as size,
    coalesce(json_agg(pid) filter (where wait_event is null
      and query_start < clock_timestamp() - interval '${GREEDY_MS} ms'), '[]') as greedy,
    coalesce(extract(epoch from clock_timestamp()
      - min(query_start) filter (where wait_event_type is distinct from 'Lock'))::float8 * 1000, 0)
      as longest
  from pg_stat_activity where usename = '${STUDENT}' and state = 'active'`;

const sayTooLong = (ms: number) =>
  `A statement ran longer than ${ms / 1000} seconds, so the sandbox stopped its PostgreSQL server.`;
export const TOO_LONG = sayTooLong(USUAL.statement);
export const TOO_MUCH_DATA = 'The statements wrote more data than the sandbox allows.';
export const TOO_LARGE = 'An answer was larger than the sandbox allows.';
const NOBODY_WATCHES = 'The sandbox could not watch its sessions any more.';
