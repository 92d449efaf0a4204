/**
 * The SQLSTATE codes that our code handles. Appendix A of the PostgreSQL manual lists all codes.
 */
export const SQLSTATE = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  exclusionViolation: '23P01',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  objectInUse: '55006',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  readOnlyTransaction: '25006',
  idleInTransaction: '25P03',
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  noSuchDatabase: '3D000',
  protocolViolation: '08P01',
  noSuchStatement: '26000',
  duplicateStatement: '42P05',
  diskFull: '53100',
  outOfMemory: '53200',
  tooManyConnections: '53300',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  idleSession: '57P05',
} as const;

/** The fields of a database error that our code uses. */
export interface DatabaseError {
  /** A SQLSTATE, or the driver's own code such as CONNECTION_CLOSED. */
  code: string;
  constraint: string | undefined;
}

/**
 * Finds the error of the database or the driver inside this error. Drizzle wraps all errors except
 * the errors of COMMIT.
 */
export function databaseError(error: unknown): DatabaseError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint_name: constraint } = cause as {
      code?: unknown;
      constraint_name?: string;
    };
    if (typeof code === 'string') return { code, constraint };
  }
  return undefined;
}

/**
 * No answer came in time, so we closed the connection. This code is our own, because the driver has
 * no code for this case.
 */
export const NO_ANSWER = 'NO_ANSWER';

/** None of several hosts is the primary at this moment. This code is our own. */
export const NO_PRIMARY = 'NO_PRIMARY';

/** Returns whether this error or one of its causes has this code. */
export function isCausedBy(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === code) return true;
  return false;
}

/**
 * After these errors the connection is lost, and the outcome of its last statement is unknown. The
 * last statement may have been COMMIT.
 */
const connectionLost: ReadonlySet<string> = new Set([
  // PgBouncer gives this code for each of its own errors, and then closes our connection.
  SQLSTATE.protocolViolation,
  SQLSTATE.idleInTransaction,
  SQLSTATE.adminShutdown,
  SQLSTATE.crashShutdown,
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  NO_ANSWER,
]);

export const isConnectionLost = (error: unknown): boolean =>
  connectionLost.has(databaseError(error)?.code ?? '');

/**
 * The transaction or statement has changed nothing in the database. Either the work never began, or
 * it only read, or the server undoes the work. This code is our own, because the driver has no code
 * for this case.
 */
export const NOTHING_RAN = 'NOTHING_RAN';

export const nothingRan = (cause: unknown): Error =>
  Object.assign(new Error('nothing was done', { cause }), { code: NOTHING_RAN });

/** Makes the error for a read-only server. A read-only server accepts no writes. */
export const readOnlyServer = (): Error =>
  Object.assign(new Error('the database server is a standby, which only reads'), {
    code: SQLSTATE.readOnlyTransaction,
  });

/**
 * After these errors nothing is changed. The database did not begin the work, or undid all of it.
 */
const nothingDone: ReadonlySet<string> = new Set([
  SQLSTATE.lockNotAvailable,
  SQLSTATE.queryCanceled,
  SQLSTATE.serializationFailure,
  SQLSTATE.deadlockDetected,
  // Another server has become the primary, and this server is read-only.
  SQLSTATE.readOnlyTransaction,
  SQLSTATE.diskFull,
  SQLSTATE.outOfMemory,
  SQLSTATE.tooManyConnections,
  SQLSTATE.cannotConnectNow,
  // The server ended the session while no transaction was open.
  SQLSTATE.idleSession,
  NOTHING_RAN,
  NO_PRIMARY,
  // No connection was made. Other network codes may come in the middle of a statement.
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  // This process or this machine may open no more files. Each connection counts as a file.
  'EMFILE',
  'ENFILE',
]);

export const isNothingDone = (error: unknown): boolean =>
  nothingDone.has(databaseError(error)?.code ?? '');

/** After these errors a server may be found later. */
const passing: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  NO_ANSWER,
  NO_PRIMARY,
  SQLSTATE.adminShutdown,
  SQLSTATE.crashShutdown,
  SQLSTATE.cannotConnectNow,
  SQLSTATE.tooManyConnections,
  SQLSTATE.readOnlyTransaction,
];

/** Returns whether a search for a server may succeed later, without a change by a person. */
export const mayPass = (error: unknown): boolean => passing.some((code) => isCausedBy(error, code));
