import { PlainError } from '../process/errors.ts';
import { databaseError, isConnectionLost, SQLSTATE } from './sqlstate.ts';

/** Names a database for an operator by its address, without the user and the password. */
export function databaseName(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `PostgreSQL at ${hostname}:${port || 5432}${pathname}`;
}

const LOOK_AT_URL = 'Check DATABASE_URL, or unset it to use the embedded PostgreSQL.';

const LOOK_AT_POOLER =
  'If DATABASE_URL leads to a pooler in transaction mode, set DATABASE_POOLER=transaction.';

/** Advice for each cause that we know. Wrong advice sends an operator to the wrong place. */
const ADVICE: Record<string, string> = {
  ECONNREFUSED: LOOK_AT_URL,
  EHOSTUNREACH: LOOK_AT_URL,
  ENETUNREACH: LOOK_AT_URL,
  ENOTFOUND: LOOK_AT_URL,
  EAI_AGAIN: LOOK_AT_URL,
  CONNECT_TIMEOUT: LOOK_AT_URL,
  [SQLSTATE.invalidPassword]: 'Check the user and the password in DATABASE_URL.',
  [SQLSTATE.invalidAuthorization]: 'Check the user and the password in DATABASE_URL.',
  [SQLSTATE.noSuchDatabase]: 'Check the name of the database in DATABASE_URL.',
  [SQLSTATE.insufficientPrivilege]: 'Give the account in DATABASE_URL this right.',
  [SQLSTATE.readOnlyTransaction]: 'DATABASE_URL must lead to the primary.',
  [SQLSTATE.noSuchStatement]: LOOK_AT_POOLER,
  [SQLSTATE.duplicateStatement]: LOOK_AT_POOLER,
  [SQLSTATE.diskFull]: 'The disk of the database is full. Make room there.',
  [SQLSTATE.tooManyConnections]: 'The server allows no more connections.',
  [SQLSTATE.cannotConnectNow]: 'The server is starting or stopping. Try again in a moment.',
};

/**
 * Describes a database error for an operator. The message names the database and the cause, and
 * gives advice for this cause. `otherwise` is the advice for causes that we do not know. The
 * message never contains the password. It may contain an address or a file name, so HTTP clients
 * must not see it.
 */
export function unusable(name: string, error: unknown, otherwise?: string): PlainError {
  const reason = innermost(error);
  const words = reason instanceof Error ? reason.message || reason.name : String(reason);
  const code = databaseError(reason)?.code ?? '';
  const advice = ADVICE[code] ?? (isConnectionLost(reason) ? undefined : otherwise);
  const message = `Cannot use ${name}: ${words}.`;
  return new PlainError(advice ? `${message} ${advice}` : message, { cause: error });
}

/**
 * The innermost error. The errors around it hold the SQL and its parameters, or say only that
 * nothing was done.
 */
function innermost(error: unknown): unknown {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  return reason;
}
