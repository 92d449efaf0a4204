import type { Socket } from 'node:net';
import { errorResponse, type Message, Reader, readyForQuery } from './messages.ts';

const LEFT = errorResponse('ERROR', '08006', 'the explorer has closed this connection');
const ROLLBACK = /^\s*(rollback|abort)\b/i;
/** A client that sends nothing for this time has no transaction that it must end. */
const QUIET_MS = 100;

/**
 * Answers each statement of a client with an error, and then closes the connection. The statements do
 * not reach PostgreSQL. The connection closes after a ROLLBACK, or when the client is quiet.
 *
 * postgres.js 3.4.9 ends the whole process (TypeError on a null socket) if its connection closes in a
 * transaction. A program in our own process must not end our process, so it gets errors first.
 */
export class Farewell {
  readonly #client: Socket;
  readonly #quiet: NodeJS.Timeout;
  /** Whether the client has got an error since its last Sync. */
  #hasFailed = false;
  #rollsBack = false;

  constructor(client: Socket) {
    this.#client = client;
    this.#quiet = setTimeout(() => client.end(), QUIET_MS).unref();
    client.once('close', () => clearTimeout(this.#quiet));
  }

  /** Answers a request. `isWhole` is false if its Sync has not come yet. */
  answer({ isWhole }: { isWhole: boolean }) {
    this.#quiet.refresh();
    if (!this.#hasFailed) this.#client.write(LEFT);
    this.#hasFailed = !isWhole;
    if (!isWhole) return;
    this.#client.write(readyForQuery('I'));
    if (this.#rollsBack) this.#client.end();
  }

  /** Handles the next message of the client. */
  hear({ type, body }: Message) {
    if (type === 'X') return void this.#client.end();
    if (type === 'Q') this.#rollsBack = ROLLBACK.test(new Reader(body).text());
    if (type === 'P') {
      const reader = new Reader(body);
      reader.text();
      this.#rollsBack = ROLLBACK.test(reader.text());
    }
    if ('SQF'.includes(type)) this.answer({ isWhole: true });
    else if (type === 'H') this.answer({ isWhole: false });
  }
}
