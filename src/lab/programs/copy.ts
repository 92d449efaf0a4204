import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../postgres/postmaster.ts';
import { UsageError } from '../../process/errors.ts';
import { until } from '../../waiting/until.ts';
import type { ProgramAnswer } from '../chapter.ts';
import { httpGet } from './http-get.ts';
import { KeptProcess } from './kept-process.ts';
import { ProgramError } from './program-error.ts';

/** `go run` compiles first. On a busy machine this takes half a minute. */
const START_MS = 60_000;
const LOOK_MS = 25;
/** A program may listen on one of the two addresses only. */
const HOSTS = ['127.0.0.1', '::1'];

export interface CopyOrder {
  /** The name for people. */
  name: string;
  /** The command for a shell, such as `go run .`. */
  command: string;
  /** The address of the database for this copy. */
  databaseUrl: string;
  startMs?: number;
}

/** A running copy of a program. It answers the requests of one session. */
export class Copy {
  readonly #process: KeptProcess;
  readonly #origin: string;
  readonly #name: string;
  readonly #left = new AbortController();
  /** How many requests wait for their answer. */
  #open = 0;

  private constructor(process: KeptProcess, origin: string, name: string) {
    this.#process = process;
    this.#origin = origin;
    this.#name = name;
  }

  /** Starts a copy, and waits until it listens. Throws a `UsageError` of one line if it does not. */
  static async start(order: CopyOrder, stop: AbortSignal): Promise<Copy> {
    const { name, command, databaseUrl, startMs = START_MS } = order;
    const port = await freePort();
    const started = new KeptProcess(command, { DATABASE_URL: databaseUrl, PORT: String(port) });
    try {
      const host = await untilListens(started, port, startMs, stop);
      if (host !== undefined) return new Copy(started, originOf(host, port), name);
      if (started.hasEnded) throw new UsageError(await howEnded(started, name));
      throw new UsageError(
        `The program "${name}" does not listen on port ${port}, the port in PORT, within ` +
          `${startMs / 1000} s${started.lastWords}`,
      );
    } catch (error) {
      await started.end();
      throw error;
    }
  }

  /** Whether the copy can take part in the next schedule. It has not died, and answers nobody. */
  get isIdle(): boolean {
    return !this.#process.hasEnded && this.#open === 0;
  }

  /** Rejects with an error of one line if the program gives no answer. */
  async ask(path: string): Promise<ProgramAnswer> {
    this.#open++;
    try {
      return await httpGet(new URL(path, this.#origin), this.#left.signal);
    } catch (error) {
      // With its cause, this error would look like a lost connection to PostgreSQL.
      throw new ProgramError('no answer', await this.#reason(error));
    } finally {
      this.#open--;
    }
  }

  /** A program that dies closes its connections first. So we wait a moment for its end. */
  async #reason(error: unknown): Promise<string> {
    const { code, message } = error as NodeJS.ErrnoException;
    const hasEnded = () => this.#process.hasEnded;
    if (await until(hasEnded, { everyMs: LOOK_MS, withinMs: 10 * LOOK_MS }))
      return howEnded(this.#process, this.#name);
    return `The program "${this.#name}" gave no answer in HTTP (${code ?? message})${this.#process.lastWords}`;
  }

  async end() {
    this.#left.abort();
    await this.#process.end();
  }
}

/** The host on which the program listens. Undefined if it ends, or takes too long. */
async function untilListens(
  program: KeptProcess,
  port: number,
  withinMs: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  let found: string | undefined;
  const look = async () => {
    for (const host of HOSTS) if (await accepts(host, port)) found = host;
    return found !== undefined || program.hasEnded;
  };
  await until(look, { everyMs: LOOK_MS, withinMs, stop });
  return found;
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const howEnded = async (program: KeptProcess, name: string): Promise<string> =>
  `The program "${name}" ended with ${await program.ended}${program.lastWords}`;

const originOf = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
