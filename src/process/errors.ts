/** A mistake that a person can mend. The message says how, and is printed without a stack. */
export class PlainError extends Error {}

/** The command line itself is wrong. The exit code is 2, as in shells. */
export class UsageError extends PlainError {}

/**
 * An error as the log may show it: the names, codes and stack frames of the error and its causes.
 * The messages of database errors are left out, since they contain SQL, parameters or stored
 * values.
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
