import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { inProject } from '../../process/project.ts';
import { inFolder } from '../judge/place.ts';
import { typeError } from '../judge/type-error.ts';
import type { Attempt } from '../lessons/attempt.ts';
import type { Lesson } from '../lessons/lesson.ts';
import type { Order, Report } from './worker.ts';

/**
 * The worker reports each step, and ends itself if a step uses the processor for too long. This limit
 * is for a step that blocks its process without using the processor.
 */
const SILENCE_MS = 60_000;

/** The reports of a trial before its end. */
export interface Audience {
  /** How far the trial is. */
  onWhere?: (where: string) => void;
  /** A result that a more exact result may follow. */
  onFirst?: (attempt: Attempt) => void;
  /** The first line that the file prints. */
  onPrint?: (line: string) => void;
}

/** A process that tries one file, and the database in which it plays. */
interface Bench {
  url: string;
  worker: ChildProcess;
}

/**
 * Tries the files of a student, each in a process of its own, since we must be able to end code that
 * never ends by itself. Each process has a database of its own. So one process can warm up while
 * another process works or dies. A save finds a warm process even in the middle of a trial.
 */
export class Examiner {
  readonly #execArgv: string[];
  /** The next bench comes first. */
  readonly #benches: Promise<Bench>[];
  readonly #alive = new Set<ChildProcess>();
  #isClosed = false;

  /** `urls` are the databases. `execArgv` are the options with which node runs TypeScript. */
  constructor(urls: string[], execArgv = process.execArgv) {
    this.#execArgv = execArgv;
    this.#benches = urls.map(async (url) => this.#start(url));
  }

  #start(url: string): Bench {
    const worker = fork(inProject('src/lab/coach/worker.ts'), [url], {
      execArgv: this.#execArgv,
      // The student's code may print. Its output would destroy the coach's screen.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    // `examine` reports a process that could not start. A failed message comes before an exit.
    worker.on('error', () => undefined);
    if (worker.pid === undefined) return { url, worker };
    this.#alive.add(worker);
    worker.once('exit', () => this.#alive.delete(worker));
    return { url, worker };
  }

  /** Takes the next bench. The bench gets a new process as soon as this process has ended. */
  async #take(): Promise<ChildProcess> {
    const next = this.#benches.shift() as Promise<Bench>;
    const renew = async () => {
      const bench = await next;
      await gone(bench.worker);
      return this.#isClosed ? bench : this.#start(bench.url);
    };
    this.#benches.push(renew());
    const { worker } = await next;
    if (this.#isClosed) throw new Error('the examiner is closed');
    if (worker.pid === undefined) throw new Error('the computer cannot start another process.');
    // This process has died before it got a file.
    return hasEnded(worker) ? this.#take() : worker;
  }

  /** Tries a file, and returns what the student should see. Throws if `stop` is aborted. */
  async examine(
    { exercise }: Lesson,
    file: string,
    stop: AbortSignal,
    audience: Audience = {},
  ): Promise<Attempt> {
    const worker = await this.#take();
    const end = () => void worker.kill('SIGKILL');
    stop.addEventListener('abort', end);
    try {
      stop.throwIfAborted();
      const types = exercise.kind === 'schedule' ? undefined : typeError(file, stop);
      const tried = askWorker(worker, { exercise, file }, audience);
      // A mistake in the types often explains the verdict, so the student sees the mistake alone.
      const line = await types;
      if (line !== undefined) end();
      const attempt = await tried;
      stop.throwIfAborted();
      return line === undefined ? attempt : { kind: 'unusable', line };
    } finally {
      stop.removeEventListener('abort', end);
      end();
    }
  }

  async close() {
    this.#isClosed = true;
    await Promise.all([...this.#alive].map((worker) => worker.kill('SIGKILL') && gone(worker)));
  }
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid === undefined || exitCode !== null || signalCode !== null;

async function gone(worker: ChildProcess) {
  if (!hasEnded(worker)) await once(worker, 'exit');
}

/** The answer of the worker. If the worker ends without an answer, the file is to blame. */
function askWorker(worker: ChildProcess, order: Order, audience: Audience): Promise<Attempt> {
  return new Promise((resolve) => {
    const silent = () => worker.kill('SIGKILL');
    const watchdog = setTimeout(silent, SILENCE_MS);
    listenTo(worker, audience);
    worker.on('message', (report: Report) => {
      watchdog.refresh();
      if (report.kind === 'step') return audience.onWhere?.(report.where);
      if (report.attempt.kind !== 'solved') audience.onFirst?.(report.attempt);
      if (report.kind === 'last') done(report.attempt);
    });
    const done = (attempt: Attempt) => {
      clearTimeout(watchdog);
      resolve(attempt);
    };
    const exit = () =>
      done({ kind: 'unusable', line: `${inFolder(order.file)}: ${endOf(worker)}` });
    worker.once('exit', exit);
    if (hasEnded(worker)) exit();
    else worker.send(order, () => {});
  });
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  if (signalCode === 'SIGKILL') return 'it never ends. Is there a loop without an end?';
  if (signalCode === 'SIGABRT') return 'it uses more memory than there is.';
  return `it ends the whole process, with code ${exitCode}. Remove process.exit.`;
}

/** Lines on a screen are shorter. */
const LINE_BYTES = 200;

/** Tells the first line that the worker prints. Reads the rest too, since a full pipe would stop the file. */
function listenTo({ stdout }: ChildProcess, { onPrint }: Audience) {
  let text = '';
  stdout?.on('data', (bytes: Buffer) => {
    if (text.includes('\n')) return;
    text += bytes.subarray(0, LINE_BYTES).toString();
    if (text.length >= LINE_BYTES) text += '\n';
    const [line = '', rest] = text.split('\n');
    if (rest !== undefined) onPrint?.(line);
  });
}
