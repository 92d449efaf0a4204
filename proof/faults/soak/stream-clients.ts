import type { Socket } from 'node:net';
import type { Dice } from '../dice.ts';
import type { Expect } from './odd-callers.ts';
import type { RawClient } from './raw.ts';

/** The maximum number of open streams. The service allows 200 streams from each network. */
const MOST_STREAMS = 8;
const STREAMS = ['/jobs/events', '/jobs/events?jobId=1&jobId=2', '/jobs/events?companyId=1'];
/**
 * The number of bytes that a client reads before it leaves: none, a part of the full state, or
 * more.
 */
const BYTES_READ = [0, 2_000, 20_000, 200_000];

/** Clients that follow the jobs, leave, and return. */
export class StreamClients {
  readonly #client: RawClient;
  readonly #expectAnswer: Expect;
  readonly #done: AbortSignal;
  /** Open sockets, the oldest first. Nobody reads from some of these sockets any more. */
  readonly #open = new Set<Socket>();

  constructor(client: RawClient, expectAnswer: Expect, done: AbortSignal) {
    this.#client = client;
    this.#expectAnswer = expectAnswer;
    this.#done = done;
    done.addEventListener('abort', () => this.#open.forEach((socket) => void socket.destroy()));
  }

  async followOften(dice: Dice) {
    while (!this.#done.aborted) await this.#follow(dice);
  }

  /** Reads some bytes of a stream, and leaves. */
  async #follow(dice: Dice) {
    const path = dice.any(STREAMS) ?? '';
    const response = await this.#client.open({ path }).catch(() => undefined);
    this.#expectAnswer(response ? `${response.statusCode} stream` : 'broken', path, ['200']);
    if (!response) return;
    this.#add(response.socket);
    // A client that leaves in the middle of a stream gets an error. This error is ignored.
    response.on('error', () => undefined);
    let left = dice.any(BYTES_READ) ?? 0;
    try {
      for await (const bytes of response.iterator({ destroyOnReturn: false })) {
        left -= (bytes as Buffer).length;
        if (left <= 0) break;
      }
    } catch {
      return;
    }
    response.pause();
    leave(response.socket, dice);
  }

  #add(socket: Socket) {
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    const [oldest] = this.#open;
    if (this.#done.aborted) socket.destroy();
    else if (this.#open.size > MOST_STREAMS) oldest?.destroy();
  }
}

/**
 * Leaves a stream in one of four ways. Destroys the connection, resets the connection, ends only
 * the client's half, or leaves the connection open without reading.
 */
function leave(socket: Socket, dice: Dice) {
  switch (dice.below(4)) {
    case 0:
      return socket.destroy();
    case 1:
      return socket.resetAndDestroy();
    case 2:
      return socket.end();
  }
}
