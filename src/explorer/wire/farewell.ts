import type { Socket } from 'node:net';
import { errorResponse, type Message, readyForQuery } from './messages.ts';

const LEFT = errorResponse('ERROR', '08006', 'the explorer has closed this connection');

/**
 * Answers every statement of a client with an error, until the client disconnects. The statements do
 * not reach PostgreSQL.
 *
 * postgres.js 3.4.9 ends the whole process (TypeError on a null socket) if its connection closes in a
 * transaction. A program in our own process must not end our process, so it gets errors.
 */
export class Farewell {
  readonly #client: Socket;
  /** Whether the client has got an error since its last Sync. */
  #hasFailed = false;

  constructor(client: Socket) {
    this.#client = client;
  }

  /** Answers a request that the client has sent before. Without a Sync, the client sends more. */
  answer({ isWhole }: { isWhole: boolean }) {
    if (!this.#hasFailed) this.#client.write(LEFT);
    if (isWhole) this.#client.write(readyForQuery('I'));
    this.#hasFailed = !isWhole;
  }

  /** Handles the next message of the client. */
  hear({ type }: Message) {
    if (type === 'X') this.#client.end();
    else if ('SQF'.includes(type)) this.answer({ isWhole: true });
    else if (type === 'H') this.answer({ isWhole: false });
  }
}
