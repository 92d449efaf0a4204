import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/**
 * One HTTP/1.1 connection that stays open. It sends one request at a time, without pipelining.
 *
 * `Wire` understands only the HTTP of our own servers, so `Wire` costs little processor time. The
 * load shares the processors with the measured server and PostgreSQL.
 */
export class Wire {
  readonly #socket: Socket;
  readonly #head: string;
  #held: Buffer | undefined;
  #onAnswer: ((status: number) => void) | undefined;
  readonly #onLost: () => void;

  private constructor(socket: Socket, host: string, onLost: () => void) {
    this.#socket = socket;
    this.#onLost = onLost;
    this.#head = ` HTTP/1.1\r\nHost: ${host}${HEAD_END}`;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#hear(bytes));
    for (const end of ['error', 'end']) socket.on(end, () => this.#lose());
  }

  /**
   * Throws if the connection cannot be opened. Later, `onLost` is called if the connection ends
   * while a request waits for its answer. The end of an idle connection is no error.
   */
  static async open(origin: string, onLost: () => void): Promise<Wire> {
    const { hostname, port, host } = new URL(origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Wire(socket, host, onLost);
  }

  /** Sends a GET request. `onAnswer` gets the status when the whole answer has arrived. */
  ask(path: string, onAnswer: (status: number) => void) {
    this.#onAnswer = onAnswer;
    if (!this.#socket.writable) this.#lose();
    this.#socket.write(`GET ${path}${this.#head}`, 'latin1');
  }

  close() {
    this.#socket.destroy();
  }

  #hear(bytes: Buffer) {
    const answer = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    const status = statusOf(answer);
    this.#held = status === undefined ? answer : undefined;
    if (status === undefined) return;
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(status);
  }

  #lose() {
    if (this.#onAnswer) this.#onLost();
  }
}

/** Returns the status of a complete answer. Returns undefined while a part is missing. */
export function statusOf(answer: Buffer): number | undefined {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = answer.toString('latin1', 0, headEnd);
  const bodyLength = answer.length - headEnd - HEAD_END.length;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  const isWhole =
    length === undefined
      ? answer.toString('latin1', answer.length - LAST_CHUNK.length) === LAST_CHUNK
      : bodyLength >= Number(length);
  return isWhole ? Number(head.slice(9, 12)) : undefined;
}
