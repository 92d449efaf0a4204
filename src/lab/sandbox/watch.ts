import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { oneConnection } from '../../db/one-connection.ts';

/** A student cannot change these limits, since the server enforces them from another session. */
const MOST_STATEMENT_MS = 2_000;
const MOST_DISK_BYTES = 48 * 1024 * 1024;
const LOOK_MS = 100;
/** Ordinary answers need a few kilobytes in this time. */
const READ_MS = 20;
const MOST_READ_BYTES = 256 * 1024;

/**
 * Watches the sessions of a role, and ends all of them if one takes too long, writes too much, or
 * answers too much.
 */
export class Watch {
  /** Why the sessions were ended, in words for a person. */
  reason: string | undefined;
  readonly #keeper: postgres.Sql;
  readonly #name: string;
  readonly #sockets: readonly Socket[];
  readonly #reading: NodeJS.Timeout;
  readonly #leaving = new AbortController();
  readonly #looking: Promise<void>;
  #sizeBefore: number | undefined;

  /** The role and its database have the same name. */
  constructor(keeperUrl: string, name: string, sockets: readonly Socket[]) {
    this.#keeper = oneConnection(keeperUrl, {});
    this.#name = name;
    this.#sockets = sockets;
    this.#reading = this.#watchAnswers();
    this.#looking = this.#watchServer();
  }

  async close() {
    clearInterval(this.#reading);
    this.#leaving.abort();
    await this.#looking;
    await this.#keeper.end({ timeout: 5 });
  }

  async #watchServer() {
    const { signal } = this.#leaving;
    while (!signal.aborted && !this.reason) {
      try {
        await this.#look();
      } catch {
        // Nobody can watch any more, so nothing may run.
        this.#end('The sandbox could not watch its sessions any more.');
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look() {
    const [row] = await this.#keeper<{ late: boolean; size: string }[]>`
      select pg_database_size(${this.#name}::text) as size, exists (
        select from pg_stat_activity
        where usename = ${this.#name} and state = 'active'
          and query_start < clock_timestamp() - ${MOST_STATEMENT_MS} * interval '1 ms') as late`;
    const size = Number(row?.size);
    this.#sizeBefore ??= size;
    if (row?.late)
      await this.#terminate(`A statement took more than ${MOST_STATEMENT_MS / 1000} s.`);
    else if (size - this.#sizeBefore > MOST_DISK_BYTES)
      await this.#terminate('The statements wrote more data than the sandbox allows.');
  }

  async #terminate(reason: string) {
    this.reason ??= reason;
    await this.#keeper`
      select pg_terminate_backend(pid) from pg_stat_activity where usename = ${this.#name}`;
  }

  #watchAnswers(): NodeJS.Timeout {
    const before = new Map<Socket, number>();
    return setInterval(() => {
      for (const socket of this.#sockets) {
        const more = socket.bytesRead - (before.get(socket) ?? 0);
        before.set(socket, socket.bytesRead);
        if (more > MOST_READ_BYTES) this.#end('An answer was larger than the sandbox allows.');
      }
    }, READ_MS);
  }

  /** Closes the connections. PostgreSQL then ends their sessions as soon as they answer. */
  #end(reason: string) {
    this.reason ??= reason;
    for (const socket of this.#sockets) socket.destroy();
  }
}
