import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, PlainError, UsageError } from './errors.ts';
import { print, stdout } from './print.ts';
import { whenStarterIsGone } from './starter.ts';

/**
 * The exit code that a shell reports after a program has written to a closed pipe (128 + SIGPIPE).
 */
const READER_GONE = 141;
/** The exit code of a program that SIGTERM has ended. */
export const TERMINATED = 128 + constants.signals.SIGTERM;
/**
 * Signals within this time count as one signal. A terminal's Ctrl-C reaches us directly, and npm
 * may send the signal once more.
 */
const ECHO_MS = 300;
/** The maximum wait at the end for the reader of our output. A pipe holds only 64 kB. */
const READ_MS = 10_000;

/** The reason why a command is stopped. The signal `stop` of the command has this reason. */
export interface Stop {
  /** The exit code of a command that ends for this reason. */
  code: number;
  cause: string;
}

export const stopOf = (stop: AbortSignal): Stop => stop.reason;

/**
 * Runs a command to its end and exits. The exit code is the number that the command returns (0 if
 * there is none), 2 after a `UsageError`, and `failureCode` after any other error.
 *
 * SIGINT, SIGTERM and SIGHUP abort `stop`. `stop` is also aborted when npm ends, or when the reader
 * of our output ends. The command may then finish its work. If the command throws after the abort,
 * its error is not printed, and the exit code names the reason of the abort. A second signal ends
 * the process immediately.
 */
export async function runMain(
  run: (stop: AbortSignal) => Promise<number | undefined>,
  failureCode = 1,
) {
  const stop = new AbortController();
  let stoppedAt = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      const code = 128 + constants.signals[name];
      if (stop.signal.aborted && Date.now() - stoppedAt > ECHO_MS) process.exit(code);
      stoppedAt ||= Date.now();
      stop.abort({ code, cause: name } satisfies Stop);
    });
  }
  for (const stream of [stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `| head` closes the pipe early. This is the reader's choice, not an error.
      if (error.code !== 'EPIPE') throw error;
      stop.abort({ code: READER_GONE, cause: 'nobody reads the output' } satisfies Stop);
    });
  const orphaned: Stop = { code: TERMINATED, cause: 'the program that started this one has ended' };
  whenStarterIsGone(() => stop.abort(orphaned));
  try {
    stop.signal.throwIfAborted();
    process.exitCode = (await run(stop.signal)) ?? 0;
  } catch (error) {
    process.exitCode = stop.signal.aborted ? stopOf(stop.signal).code : report(error, failureCode);
  }
  const allWritten = Promise.all([written(stdout), written(process.stderr)]);
  await Promise.race([allWritten, sleep(READ_MS)]);
  process.exit();
}

/**
 * Resolves when all output has been read. `process.exit` would drop output that nobody has read
 * yet.
 */
const written = (stream: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => stream.write('', () => resolve()));

/** Resolves when `stop` is aborted. */
export const whenStopped = (stop: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined);
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });

/**
 * Returns the result of `work`. If `stop` is aborted first, throws the reason of `stop`
 * immediately.
 */
export async function unlessStopped<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const stopped = async (): Promise<never> => {
    if (!stop.aborted) await once(stop, 'abort', { signal: settled.signal });
    throw stop.reason;
  };
  try {
    return await Promise.race([work, stopped()]);
  } finally {
    settled.abort();
  }
}

function report(error: unknown, failureCode: number): number {
  const text = error instanceof PlainError ? error.message : describe(error);
  print(`${text}\n`, process.stderr);
  return error instanceof UsageError ? 2 : failureCode;
}
