import { inProject } from '../../process/project.ts';
import { GuardedProcess } from './guarded-process.ts';
import { type Asked, type FromGuest, fromGuest, type ToGuest, type Told } from './messages.ts';
import { GUEST, nameOf } from './own.ts';

/** The answer to a request, while it arrives. */
interface Open {
  head(status: number, headers: [string, string][]): void;
  chunk(chunk: Uint8Array): void;
  end(): void;
  /** The guest has ended before the answer. */
  fail(line: string): void;
}

/** Makes the last event of a stream, if the guest ends in the middle of the stream. */
type LastEvent = (line: string) => Uint8Array;

/** The process that runs a student's code, as the server sees the process. */
export class Guest {
  /** Rejects with an error of one line if the code cannot be used. */
  readonly ready: Promise<Told>;
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
    const { promise, resolve, reject } = withResolvers<Told>();
    this.ready = promise;
    // The server may look at the result later, or never.
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

  /** The answer of the guest. Rejects with an error of one line if the guest ends before it answers. */
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

  /** Ends the process. Its requests are told the reason. */
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

/** The client may have closed the stream. */
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
