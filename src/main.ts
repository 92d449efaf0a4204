import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { startedByNpm } from './config.ts';
import { describe, PlainError, UsageError } from './errors.ts';
import { print } from './print.ts';

/** What a shell reports of a program that wrote to a closed pipe: 128 + SIGPIPE. */
const READER_GONE = 141;
const NPM_CHECK_MS = 500;
/** A terminal's Ctrl-C reaches us directly, and perhaps once more through npm. */
const ECHO_MS = 300;

/**
 * Runs a command to its end and exits with the code that it returns (0 when none), with 2 when it
 * threw a `UsageError`, and with `failureCode` after any other error.
 *
 * SIGINT, SIGTERM and SIGHUP abort `stop`, as does the end of npm or of the reader of the output;
 * the command ends in its own time, and what it threw because of that is no error. A second signal
 * ends it at once.
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
      stop.abort(code);
    });
  }
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `| head` closes the pipe early: that is the reader's choice, not an error.
      if (error.code !== 'EPIPE') throw error;
      stop.abort(READER_GONE);
    });
  if (startedByNpm()) whenNpmIsGone(() => stop.abort(128 + constants.signals.SIGTERM));
  try {
    process.exitCode = (await run(stop.signal)) ?? 0;
  } catch (error) {
    process.exitCode = stop.signal.aborted ? stop.signal.reason : report(error, failureCode);
  }
  process.exit();
}

/** The result of `work`; or throws the signal's reason as soon as it is aborted. */
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

/**
 * npm runs a command through a shell, and passes SIGTERM on to the shell alone, which dies of it;
 * of SIGKILL nobody hears at all. Either way one of our ancestors changes.
 */
function whenNpmIsGone(act: () => void) {
  const atFirst = ancestors();
  setInterval(() => (ancestors() ?? atFirst) !== atFirst && act(), NPM_CHECK_MS).unref();
}

/**
 * The id of our parent and, where /proc tells and it is npm's shell, of the shell's parent. Undefined
 * while no file is free to read that.
 */
function ancestors(): string | undefined {
  const { ppid } = process;
  try {
    const shell = readFileSync(`/proc/${ppid}/stat`, 'utf8').match(/\(sh\) \S (\d+)/);
    return `${ppid} ${shell?.[1]}`;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['EMFILE', 'ENFILE'].includes(code) ? undefined : `${ppid}`;
  }
}

function report(error: unknown, failureCode: number): number {
  const text = error instanceof PlainError ? error.message : describe(error);
  print(`${text}\n`, process.stderr);
  return error instanceof UsageError ? 2 : failureCode;
}
