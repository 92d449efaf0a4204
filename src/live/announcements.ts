import { connectionLost, oneConnection } from '../db/one-connection.ts';
import { idText } from '../http/schemas.ts';
import { pause, pauseAfter } from '../waiting/backoff.ts';
import { BACKOFF } from './limits.ts';

/** The triggers in drizzle/ notify this channel of each job that a commit has changed. */
const CHANNEL = 'rowlock_jobs';
/** How often we check that the connection lives. A broken connection may stay silent for ever. */
const CHECK_MS = 15_000;

export interface Listener {
  /** A commit has changed this job. */
  onJob(id: bigint): void;
  /** Announcements are received from now on. Earlier announcements may be lost. */
  onHeard(): void;
  /** The connection for announcements is lost, or another attempt to connect has failed. */
  onDeaf(error: unknown): void;
}

/**
 * Listens to the announcements of the database on a connection of its own. The connection is opened
 * when first needed. A lost connection is replaced until `close` is called. The connection must be
 * direct. Through a pooler in transaction mode, no announcement arrives.
 */
export class Announcements {
  readonly #url: string;
  readonly #listener: Listener;
  readonly #checkMs: number;
  readonly #closing = new AbortController();
  #attempt: Promise<{ lost: Promise<void> }> | undefined;
  #lose = () => {};

  constructor(url: string, listener: Listener, checkMs = CHECK_MS) {
    this.#url = url;
    this.#listener = listener;
    this.#checkMs = checkMs;
  }

  /**
   * Resolves once announcements are received. Throws if the latest attempt to connect has failed.
   */
  async heard(): Promise<void> {
    if (!this.#attempt) void this.#keepListening();
    await this.#attempt;
  }

  close() {
    this.#closing.abort();
    this.#lose();
  }

  async #keepListening() {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      this.#attempt = this.#listen();
      try {
        const { lost } = await this.#attempt;
        failures = 0;
        this.#listener.onHeard();
        await lost;
        throw connectionLost();
      } catch (error) {
        if (signal.aborted) return;
        this.#listener.onDeaf(error);
      }
      await pause(pauseAfter(failures++, BACKOFF), signal);
    }
  }

  async #listen() {
    const lost = new Promise<void>((resolve) => {
      this.#lose = resolve;
    });
    const lose = this.#lose;
    const client = oneConnection(this.#url, {
      onclose: lose,
      connection: { application_name: 'rowlock-events' },
      fetch_types: false,
      // The typings lack this option. The `listen` of postgres.js uses it.
      ...{ onnotify: (_channel: string, payload: string) => this.#hear(payload) },
    });
    const check = setInterval(checkOf(client, lose), this.#checkMs);
    void lost.then(() => {
      clearInterval(check);
      return client.end({ timeout: 0 });
    });
    try {
      await client.unsafe(`listen ${CHANNEL}`);
    } catch (error) {
      lose();
      throw error;
    }
    return { lost };
  }

  /**
   * Ignores payloads that are not ids, because any session of the database may notify the channel.
   */
  #hear(payload: string) {
    const id = idText.safeParse(payload);
    if (id.success) this.#listener.onJob(id.data);
  }
}

/**
 * Returns a function that checks the connection. Each call sends a statement. If the answer to the
 * previous statement has not come, the function calls `lose`.
 */
function checkOf(client: ReturnType<typeof oneConnection>, lose: () => void) {
  let isOwed = false;
  return () => {
    if (isOwed) return lose();
    isOwed = true;
    client.unsafe('select 1').then(() => {
      isOwed = false;
    }, lose);
  };
}
