import { setTimeout as sleep } from 'node:timers/promises';
import { connectionLost, oneConnection } from '../db/one-connection.ts';
import { idText } from '../http/schemas.ts';
import { pauseAfter } from './pause.ts';

/** The triggers in drizzle/ notify it of each job that a commit has changed. */
const CHANNEL = 'rowlock_jobs';
/** How often the connection is asked whether it lives: of one that broke silently nobody tells. */
const CHECK_MS = 15_000;

export interface Listener {
  /** A commit has changed this job. */
  onJob(id: bigint): void;
  /** Announcements are heard from now on; what was announced while they were not is lost. */
  onHeard(): void;
  /** They are no longer heard, or still not. */
  onDeaf(error: unknown): void;
}

/**
 * Listens to what the database announces, on a connection of its own that is opened when first
 * needed and, once lost, replaced until `close`. Needs a direct connection: a pooler that lends
 * connections by the transaction hears nothing.
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

  /** Resolves once announcements are heard. Throws when the last attempt to hear them has failed. */
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
      await sleep(pauseAfter(failures++), undefined, { signal }).catch(() => undefined);
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
      // The typings do not know this option; postgres.js's own `listen` uses it.
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

  /** Anybody in the database may notify the channel, of anything. */
  #hear(payload: string) {
    const id = idText.safeParse(payload);
    if (id.success) this.#listener.onJob(id.data);
  }
}

/** Asks the connection for an answer each time, and gives it up when the last did not come. */
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
