import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { freePort } from '../../platform/postgres/postmaster.ts';
import { KeptChild } from '../../platform/process/child.ts';
import { callersFolder } from '../../platform/process/environment.ts';
import { UsageError } from '../../platform/process/errors.ts';
import { portsOfGroup } from '../../platform/process/listening.ts';
import { until } from '../../platform/waiting/until.ts';
import { oneLine } from './one-line.ts';
import { ProgramError } from './program-error.ts';

/** The time to start. `go run` compiles first, which takes half a minute on a busy machine. */
const START_MS = 60_000;
const LOOK_MS = 25;
/**
 * The time to listen on the given port after the program listens on another port. A program may
 * open another port first, such as a port for its metrics.
 */
const ELSEWHERE_MS = 5_000;
/** Only each tenth look searches for other ports, because this search reads about all processes. */
const LOOKS_ELSEWHERE = 10;
/** The addresses of this computer in IPv4 and in IPv6. A program may listen on only one of them. */
const HOSTS = ['127.0.0.1', '::1'];

/** An HTTP request to a program. By default a GET without a body. */
export interface ProgramRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The answer of a program to an HTTP request. */
export interface ProgramAnswer {
  status: number;
  /** The standard words for the status, such as `OK`. */
  reason: string;
  body: string;
}

export interface CopyOrder {
  /** The name for people. */
  name: string;
  /** The command for a shell, such as `go run .`. */
  command: string;
  /** The address of the database for this copy. */
  databaseUrl: string;
  /** The working directory. By default the folder from which a person started our command. */
  cwd?: string;
  startMs?: number;
  elsewhereMs?: number;
}

/** A running copy of a program. It answers the requests of one session. */
export class Copy {
  /** The address of the copy, such as `http://127.0.0.1:4000`. */
  readonly origin: string;
  readonly #process: KeptChild;
  readonly #name: string;
  readonly #left = new AbortController();
  /** How many requests wait for their answer. */
  #open = 0;

  private constructor(process: KeptChild, origin: string, name: string) {
    this.#process = process;
    this.origin = origin;
    this.#name = name;
  }

  /** Starts a copy, and waits until it listens. Throws a `UsageError` of one line if this fails. */
  static async start(order: CopyOrder, stop: AbortSignal): Promise<Copy> {
    const { name, command, databaseUrl, cwd = callersFolder() } = order;
    const { startMs = START_MS, elsewhereMs = ELSEWHERE_MS } = order;
    const port = await freePort();
    const started = new KeptChild(['/bin/sh', '-c', command], {
      cwd,
      settings: { DATABASE_URL: databaseUrl, PORT: String(port) },
    });
    try {
      const { host, others } = await untilListens(started, port, { startMs, elsewhereMs }, stop);
      if (host !== undefined) return new Copy(started, originOf(host, port), name);
      if (started.hasEnded) throw new UsageError(await howEnded(started, name));
      const where =
        others.length > 0
          ? `listens on port ${others.join(' and ')}, but not on port ${port}, the port in PORT`
          : `does not listen on port ${port}, the port in PORT, within ${startMs / 1000} s`;
      throw new UsageError(`The program "${name}" ${where}${lastWords(started)}`);
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  /**
   * Whether the copy can take part in the next schedule: it has not died, and has no open request.
   */
  get isIdle(): boolean {
    return !this.#process.hasEnded && this.#open === 0;
  }

  /** Rejects with an error of one line if the program gives no answer. */
  async ask(asked: ProgramRequest): Promise<ProgramAnswer> {
    this.#open++;
    try {
      return await send(this.origin, asked, this.#left.signal);
    } catch (error) {
      // The error has no `cause`. With a cause it would look like a lost connection to PostgreSQL.
      throw new ProgramError('no answer', await this.#reason(error));
    } finally {
      this.#open--;
    }
  }

  /**
   * Returns why a request failed. Waits a moment, because a program that dies closes its
   * connections before its process ends.
   */
  async #reason(error: unknown): Promise<string> {
    const { code, message } = error as NodeJS.ErrnoException;
    const hasEnded = () => this.#process.hasEnded;
    if (await until(hasEnded, { everyMs: LOOK_MS, withinMs: 10 * LOOK_MS }))
      return howEnded(this.#process, this.#name);
    return `The program "${this.#name}" gave no answer in HTTP (${code ?? message})${lastWords(this.#process)}`;
  }

  async end() {
    this.#left.abort();
    await this.#process.kill();
  }
}

/** Where a program listens. */
interface Listening {
  /** The host on which the program listens. Undefined if the program ends or takes too long. */
  host: string | undefined;
  /** The other ports on which the program listens, as far as we know. */
  others: number[];
}

async function untilListens(
  program: KeptChild,
  port: number,
  { startMs, elsewhereMs }: { startMs: number; elsewhereMs: number },
  stop: AbortSignal,
): Promise<Listening> {
  const found: Listening = { host: undefined, others: [] };
  let looks = 0;
  let elsewhereSince = Number.POSITIVE_INFINITY;
  const look = async () => {
    for (const host of HOSTS) if (await accepts(host, port)) found.host = host;
    if (found.host !== undefined || program.hasEnded) return true;
    if (++looks % LOOKS_ELSEWHERE === 0) {
      const ports = portsOfGroup(program.process.pid ?? 0);
      found.others = ports.filter((each) => each !== port);
      if (found.others.length > 0) elsewhereSince = Math.min(elsewhereSince, performance.now());
    }
    return performance.now() - elsewhereSince > elsewhereMs;
  };
  await until(look, { everyMs: LOOK_MS, withinMs: startMs, stop });
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

const howEnded = async (program: KeptChild, name: string): Promise<string> =>
  `The program "${name}" ended with ${await program.ended}${lastWords(program)}`;

const originOf = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const LONGEST_LINE = 200;

/** Returns a colon and the line of the output that says the most. Empty if there is no output. */
function lastWords(program: KeptChild): string {
  const lines = program.said.split('\n').map((line) => oneLine(line, LONGEST_LINE));
  const said = lines.filter((line) => line !== '' && !EMPTY_WORDS.test(line));
  const line = said.findLast((each) => ERROR.test(each)) ?? said.at(-1) ?? '';
  return line && `: ${line}`;
}

/**
 * Matches lines that say nothing: stacks, summaries and rulers. Such lines follow the message of an
 * error.
 */
const EMPTY_WORDS = /^(\W+|exit status \d+|Node\.js v[\d.]+|at .+)$/;
const ERROR = /^(panic:|fatal error:|[\w.]*(Error|Exception)\b|Exception in thread)|not found$/;

/** The maximum size of an answer. Answers to a claim are short. */
const MOST_ANSWER_BYTES = 64_000;

/**
 * Sends a request on a new connection. If a connection stayed open, the end of one schedule could
 * disturb the next schedule. Rejects if no complete answer comes.
 */
function send(
  origin: string,
  { method = 'GET', path, headers = {}, body }: ProgramRequest,
  signal: AbortSignal,
): Promise<ProgramAnswer> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, Connection: 'close' };
    const sent = request(new URL(path, origin), { agent: false, signal, method, headers: all });
    sent.on('error', reject);
    sent.on('response', (response) => readBody(response).then(resolve, reject));
    sent.end(body);
  });
}

async function readBody(response: IncomingMessage): Promise<ProgramAnswer> {
  const { statusCode: status = 0, statusMessage: reason = '' } = response;
  let body = '';
  for await (const text of response.setEncoding('utf8')) {
    body += text;
    if (body.length > MOST_ANSWER_BYTES)
      throw new Error(`its answer has more than ${MOST_ANSWER_BYTES} bytes`);
  }
  return { status, reason, body };
}
