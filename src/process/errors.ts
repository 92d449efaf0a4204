/** A mistake that a person can mend: its message says how, and is printed without a stack. */
export class PlainError extends Error {}

/** The command line itself is wrong: exit code 2, as shells do. */
export class UsageError extends PlainError {}

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
