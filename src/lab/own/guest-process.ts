import { inProject } from '../../platform/process/project.ts';
import { GuardedProcess } from './guarded-process.ts';
import {
  type Asked,
  type FromGuest,
  fromGuest,
  type ToGuest,
  type ToldStrategy,
} from './messages.ts';
import { GUEST, nameOf } from './own.ts';

/** The callbacks of a request, for the parts of its answer. */
interface Open {
  head(status: number, headers: [string, string][]): void;
  chunk(chunk: Uint8Array): void;
  end(): void;
  /** Called if the guest ends before the end of the answer. */
  fail(line: string): void;
}

/** Makes the last event of a stream, if the guest ends in the middle of the stream. */
type LastEvent = (line: string) => Uint8Array;

/** The server's side of the process that runs a student's code. */
export class Guest {
  /** Rejects with an error of one line if the code cannot be used. */
  readonly ready: Promise<ToldStrategy>;
  /** Resolves when the process has ended, with the reason in one line. */
  readonly ended: Promise<string>;
  isReady = false;
  wasAsked = false;
  readonly #process: GuardedProcess<ToGuest>;
  readonly #open = new Map<number, Open>();
  #last = 0;

  constructor(order: Omit<Extract<ToGuest, { kind: 'begin' }>, 'kind'>) {
    this.#process = new GuardedProcess({
      program: GUEST,
      args: [],
      cwd: inProject('.'),
      file: nameOf(order.own),
      // The prints of the student go to stderr, where the log is.
      stdout: 2,
    });
    const { promise, resolve, reject } = withResolvers<ToldStrategy>();
    this.ready = promise;
    // The server may await this promise later or never. Without this handler, an unhandled failure
    // would end the server.
    promise.catch(() => undefined);
    this.#process.hear(fromGuest, (message) => {
      if (message.kind === 'ready') {
        this.isReady = true;
        resolve(message.told);
      } else this.#hear(message);
    });
    this.ended = this.#process.ended.then((line) => {
      reject(new Error(line));
      for (const each of this.#open.values()) each.fail(line);
      this.#open.clear();
      return line;
    });
    this.#process.tell({ kind: 'begin', ...order });
  }

  #hear(message: FromGuest) {
    if (message.kind === 'failed') this.#process.end(message.line);
    else if (message.kind === 'head')
      this.#open.get(message.id)?.head(message.status, message.headers);
    else if (message.kind === 'chunk')
      this.#open.get(message.id)?.chunk(Buffer.from(message.chunk, 'base64'));
    else if (message.kind === 'end') {
      this.#open.get(message.id)?.end();
      this.#open.delete(message.id);
    }
  }

  /**
   * Returns the guest's answer. Rejects with an error of one line if the guest ends before it
   * answers.
   */
  async ask(asked: Omit<Asked, 'id'>, left: AbortSignal, lastEvent: LastEvent): Promise<Response> {
    if (!this.#process.isOpen) throw new Error(await this.ended);
    const id = ++this.#last;
    this.wasAsked = true;
    const cancel = () => this.#process.tell({ kind: 'cancel', id });
    left.addEventListener('abort', cancel);
    return new Promise((resolve, reject) => {
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          stream = controller;
        },
        cancel,
      });
      this.#open.set(id, {
        head: (status, headers) =>
          resolve(new Response(isEmpty(status) ? null : body, { status, headers })),
        chunk: (chunk) => attempt(() => stream?.enqueue(chunk)),
        end: () => attempt(() => stream?.close()),
        fail: (line) => {
          reject(new Error(line));
          attempt(() => stream?.enqueue(lastEvent(line)));
          attempt(() => stream?.close());
        },
      });
      this.#process.tell({ kind: 'request', asked: { id, ...asked } });
    });
  }

  /** Ends the process. Its open requests fail with the reason. */
  end(reason: string) {
    this.#process.end(reason);
  }

  /** Lets the process drop its databases, and then end. */
  stop(reason: string) {
    this.#process.tell({ kind: 'stop' });
    this.#process.endSoon(reason);
  }
}

const isEmpty = (status: number) => status === 204 || status === 304;

/** Acts on a stream. Ignores an error, because the client may have closed the stream. */
function attempt(act: () => void) {
  try {
    act();
  } catch {
    // Nobody reads this answer any more.
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
