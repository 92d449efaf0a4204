import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { nameOf, PATIENCE_MS } from '../ask.ts';
import type { OddRequest } from './odd-requests.ts';

/** The name of an answer, and the entity tag of its page. */
export interface RawReply {
  name: string;
  etag: string | undefined;
}

type WantedRequest = Omit<OddRequest, 'answers'>;

/** Sends requests with any `Host` header and any method. `fetch` refuses some of these requests. */
export class RawClient {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = url;
  }

  async ask(wanted: WantedRequest): Promise<RawReply> {
    try {
      const response = await this.open(wanted, { agent: this.#agent });
      const body = await text(response);
      const name = nameOf({ kind: 'answer', status: response.statusCode ?? 0, body });
      return { name, etag: response.headers.etag };
    } catch (error) {
      // The server ended an idle connection just when we used it again. Send the request once more.
      if (error instanceof Stale) return this.ask(wanted);
      return { name: 'broken', etag: undefined };
    }
  }

  /**
   * Resolves when the head of the answer has arrived. The caller reads the body. Without an agent
   * in `options`, the request uses a new connection. A request that hangs ends with an error.
   */
  open(
    { path, body, ...rest }: WantedRequest,
    options: RequestOptions = {},
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const asked = request(this.#url, { agent: false, signal, ...options, ...rest, path });
      asked.on('response', resolve);
      asked.on('error', (error: NodeJS.ErrnoException) =>
        reject(asked.reusedSocket && error.code === 'ECONNRESET' ? new Stale() : error),
      );
      asked.end(body);
    });
  }

  /** Sends some bytes, and disconnects without waiting for an answer. */
  async sendAndGo(bytes: string) {
    const { hostname, port } = new URL(this.#url);
    const socket = connect({ port: Number(port), host: hostname, timeout: PATIENCE_MS });
    await new Promise<void>((resolve) => {
      socket.on('error', () => undefined).on('timeout', () => socket.destroy());
      socket.on('close', () => resolve());
      socket.write(bytes, () => socket.destroy());
    });
  }

  close() {
    this.#agent.destroy();
  }
}

class Stale extends Error {}
