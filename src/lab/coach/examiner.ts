import { fork } from 'node:child_process';
import { Child } from '../../platform/process/child.ts';
import { inProject } from '../../platform/process/project.ts';
import { inFolder } from '../judge/place.ts';
import { typeError } from '../judge/type-error.ts';
import type { AttemptResult } from '../lessons/attempt-strategy.ts';
import type { Lesson } from '../lessons/lesson.ts';
import type { DatabaseAddress, Order, Report } from './worker.ts';

/**
 * The maximum time between two reports. The worker reports each step, and ends itself if a step
 * uses the processor for too long. This limit is for a step that blocks its process without using
 * the processor.
 */
const SILENCE_MS = 60_000;

/** The callbacks for the reports of a trial before its end. */
export interface Audience {
  /** How far the trial is. */
  onWhere?: (where: string) => void;
  /** A result that a more exact result may follow. */
  onFirst?: (attempt: AttemptResult) => void;
  /** The first line that the file prints. */
  onPrint?: (line: string) => void;
}

/** A process that tries one file, and the database in which it plays. */
interface Bench {
  url: string;
  worker: Child;
}

/**
 * Tries the files of a student. Each trial has a separate process, since we must be able to end
 * code that never ends by itself. Each process has a separate database. So a process can warm up
 * while another process works or ends. Even during a trial, a warm process is ready for the next
 * save.
 */
export class Examiner {
  readonly #execArgv: string[];
  /** All benches. The first bench is used next. */
  readonly #benches: Promise<Bench>[];
  readonly #alive = new Set<Child>();
  #isClosed = false;

  /** `urls` are the databases. `execArgv` are the options with which node runs TypeScript. */
  constructor(urls: string[], execArgv = process.execArgv) {
    this.#execArgv = execArgv;
    this.#benches = urls.map(async (url) => this.#start(url));
  }

  #start(url: string): Bench {
    const worker = new Child(
      fork(inProject('src/lab/coach/worker.ts'), {
        execArgv: this.#execArgv,
        // The student's code may print. Its output would destroy the coach's screen.
        stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      }),
    );
    // If the process could not start, `examine` throws the error.
    if (worker.hasEnded) return { url, worker };
    worker.process.send({ url } satisfies DatabaseAddress, () => {});
    this.#alive.add(worker);
    void worker.ended.then(() => this.#alive.delete(worker));
    return { url, worker };
  }

  /** Takes the next bench. The bench gets a new process as soon as this process has ended. */
  async #take(): Promise<Child> {
    const next = this.#benches.shift() as Promise<Bench>;
    const renew = async () => {
      const bench = await next;
      await bench.worker.ended;
      return this.#isClosed ? bench : this.#start(bench.url);
    };
    this.#benches.push(renew());
    const { worker } = await next;
    if (this.#isClosed) throw new Error('the examiner is closed');
    if (worker.process.pid === undefined)
      throw new Error('the computer cannot start another process.');
    // A process may have died before it got a file. Then we take the next process.
    return worker.hasEnded ? this.#take() : worker;
  }

  /** Tries a file, and returns what the student should see. Throws if `stop` is aborted. */
  async examine(
    { exercise }: Lesson,
    file: string,
    stop: AbortSignal,
    audience: Audience = {},
  ): Promise<AttemptResult> {
    const worker = await this.#take();
    const end = () => void worker.kill();
    stop.addEventListener('abort', end);
    try {
      stop.throwIfAborted();
      const types = exercise.kind === 'schedule' ? undefined : typeError(file, stop);
      const tried = askWorker(worker, { exercise, file }, audience);
      // A mistake in the types often explains the verdict, so the student sees only the mistake.
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
    await Promise.all([...this.#alive].map((worker) => worker.kill()));
  }
}

/** Returns the worker's answer. If the worker ends without an answer, the file is the cause. */
function askWorker(worker: Child, order: Order, audience: Audience): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const watchdog = setTimeout(() => worker.kill(), SILENCE_MS);
    listenTo(worker, audience);
    worker.process.on('message', (report: Report) => {
      watchdog.refresh();
      if (report.kind === 'step') return audience.onWhere?.(report.where);
      if (report.attempt.kind !== 'solved') audience.onFirst?.(report.attempt);
      if (report.kind === 'last') done(report.attempt);
    });
    const done = (attempt: AttemptResult) => {
      clearTimeout(watchdog);
      resolve(attempt);
    };
    const exit = () =>
      done({ kind: 'unusable', line: `${inFolder(order.file)}: ${endOf(worker)}` });
    void worker.ended.then(exit);
    if (!worker.hasEnded) worker.process.send(order, () => {});
  });
}

function endOf({ process: { exitCode, signalCode } }: Child): string {
  if (signalCode === 'SIGKILL') return 'it never ends. Is there a loop without an end?';
  if (signalCode === 'SIGABRT') return 'it uses more memory than there is.';
  return `it ends the whole process, with code ${exitCode}. Remove process.exit.`;
}

/** The maximum length of the printed line that we report. Lines on a screen are shorter. */
const LINE_LENGTH = 200;

/** Reports the first line that the worker prints. */
function listenTo({ process: { stdout } }: Child, { onPrint }: Audience) {
  let text = '';
  stdout?.on('data', (more: string) => {
    if (text.includes('\n')) return;
    text += more.slice(0, LINE_LENGTH);
    if (text.length >= LINE_LENGTH) text += '\n';
    const [line = '', rest] = text.split('\n');
    if (rest !== undefined) onPrint?.(line);
  });
}
