import { PlainError } from '../process/errors.ts';
import { databaseIn, hostNames } from './hosts.ts';
import { databaseError, isConnectionLost, NO_PRIMARY, SQLSTATE } from './sqlstate.ts';

/** Returns a name of the database for an operator. The name has no user and no password. */
export const databaseName = (url: string): string =>
  `PostgreSQL at ${hostNames(url).join(',')}/${databaseIn(url)}`;

const LOOK_AT_URL = 'Check DATABASE_URL, and whether PostgreSQL runs there.';

const LOOK_AT_ROOT =
  'Add sslrootcert=FILE to DATABASE_URL. The file has the certificate of the authority.';

const LOOK_AT_POOLER =
  'If DATABASE_URL leads to a pooler in transaction mode, set DATABASE_POOLER=transaction.';

/** Replaces the message "write CONNECT_TIMEOUT host:undefined" of postgres.js. */
const NO_ANSWER_YET = 'no PostgreSQL answers there in time';

/**
 * Advice for each known cause. We do not guess at other causes, because wrong advice would mislead
 * an operator.
 */
const ADVICE: Record<string, string> = {
  ECONNREFUSED: LOOK_AT_URL,
  EHOSTUNREACH: LOOK_AT_URL,
  ENETUNREACH: LOOK_AT_URL,
  ENOTFOUND: LOOK_AT_URL,
  EAI_AGAIN: LOOK_AT_URL,
  CONNECT_TIMEOUT: LOOK_AT_URL,
  CONNECTION_CLOSED: LOOK_AT_URL,
  NO_TLS: 'Check sslmode in DATABASE_URL, and ssl in postgresql.conf.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: LOOK_AT_ROOT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: LOOK_AT_ROOT,
  SELF_SIGNED_CERT_IN_CHAIN: LOOK_AT_ROOT,
  DEPTH_ZERO_SELF_SIGNED_CERT: LOOK_AT_ROOT,
  [NO_PRIMARY]: 'Check DATABASE_URL, and whether one of the hosts is promoted.',
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
  const code = databaseError(reason)?.code ?? '';
  const words = code === 'CONNECT_TIMEOUT' ? NO_ANSWER_YET : wordsOf(reason);
  const advice = ADVICE[code] ?? (isConnectionLost(reason) ? undefined : otherwise);
  const message = `Cannot use ${name}: ${words}.`;
  return new PlainError(advice ? `${message} ${advice}` : message, { cause: error });
}

const wordsOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message || reason.name : String(reason);

/**
 * Returns the innermost error. The outer errors contain the SQL and its parameters, or say only
 * that nothing was done.
 */
function innermost(error: unknown): unknown {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  return reason;
}
