import { constants } from 'node:os';

/** A mistake that a person can mend: its message says how, and is printed without a stack. */
export class PlainError extends Error {
  readonly exitCode: number = 1;
}

/** The command line itself is wrong: exit code 2, as shells do. */
export class UsageError extends PlainError {
  override readonly exitCode = 2;
}

/**
 * Runs a command to its end and exits with the code that it returns (0 when none).
 *
 * SIGINT, SIGTERM and SIGHUP abort `stop`, and the command ends in its own time; what it threw
 * because of that is no error. A second signal ends it at once.
 */
export async function runMain(run: (stop: AbortSignal) => Promise<number | undefined>) {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
      stop.abort(128 + constants.signals[name]);
    });
  }
  // `| head` closes the pipe early: that is the reader's choice, not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  try {
    process.exitCode = (await run(stop.signal)) ?? 0;
  } catch (error) {
    process.exitCode = stop.signal.aborted ? stop.signal.reason : reportFailure(error);
  }
  process.exit();
}

function reportFailure(error: unknown): number {
  const plain = error instanceof PlainError;
  process.stderr.write(`${plain ? error.message : describe(error)}\n`);
  return plain ? error.exitCode : 1;
}

/**
 * An error as the log may show it: names, codes and stack frames of it and its causes. Messages
 * of database errors are left out, since they contain SQL, parameters or stored values.
 */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is not an Error was thrown';
  const { code } = error as { code?: unknown };
  const fromDatabase = error.cause !== undefined || typeof code === 'string';
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  const head = [error.name, code, fromDatabase ? undefined : error.message].filter(Boolean);
  const cause = error.cause === undefined ? [] : [`caused by ${describe(error.cause)}`];
  return [head.join(': '), ...frames.slice(0, 8), ...cause].join('\n');
}
