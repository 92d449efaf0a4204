/**
 * An error that a person can correct. The message tells how to correct it, and is printed without a
 * stack.
 */
export class PlainError extends Error {}

/** Thrown if the command line itself is wrong. The exit code is 2, as in shells. */
export class UsageError extends PlainError {}

/**
 * Describes an error for the log. The description has the names, codes and stack frames of the
 * error and its causes. Leaves out the messages of database errors, because they may contain SQL,
 * parameters or stored values.
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
