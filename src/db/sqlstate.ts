/** SQLSTATE codes that are answers rather than surprises. Source: PostgreSQL manual, appendix A. */
export const SQLSTATE = {
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
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
  diskFull: '53100',
  outOfMemory: '53200',
  tooManyConnections: '53300',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  idleSession: '57P05',
} as const;

/** What a database error says of itself, in the fields that are safe to act on. */
export interface DatabaseError {
  /** A SQLSTATE, or the driver's own code such as CONNECTION_CLOSED. */
  code: string;
  constraint: string | undefined;
}

/** The database's or the driver's error behind this one: Drizzle wraps it, except at COMMIT. */
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

/** The driver's codes have no word for it: the connection was given up, since nothing came of it. */
export const NO_ANSWER = 'NO_ANSWER';

/** Whether this error, or one behind it, has this code. */
export function isCausedBy(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === code) return true;
  return false;
}

/** The connection is gone, and with it the answer to what ran on it, which may have been COMMIT. */
const connectionLost: ReadonlySet<string> = new Set([
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
 * The driver has no code for this: the database holds nothing of the transaction or statement. It
 * never began, or it only read, or the server undoes it.
 */
export const NOTHING_RAN = 'NOTHING_RAN';

export const nothingRan = (cause: unknown): Error =>
  Object.assign(new Error('nothing was done', { cause }), { code: NOTHING_RAN });

/** The server only reads. A session on it never becomes good for claims while the server runs so. */
export const readOnlyServer = (): Error =>
  Object.assign(new Error('the database server is a standby, which only reads'), {
    code: SQLSTATE.readOnlyTransaction,
  });

/** The database took nothing on, or undid all of it. */
const nothingDone: ReadonlySet<string> = new Set([
  SQLSTATE.lockNotAvailable,
  SQLSTATE.queryCanceled,
  SQLSTATE.serializationFailure,
  SQLSTATE.deadlockDetected,
  // Another server has become the primary, and this one only reads.
  SQLSTATE.readOnlyTransaction,
  SQLSTATE.diskFull,
  SQLSTATE.outOfMemory,
  SQLSTATE.tooManyConnections,
  SQLSTATE.cannotConnectNow,
  // Ended while no transaction was open.
  SQLSTATE.idleSession,
  NOTHING_RAN,
  // Nobody was connected to. Other codes of the network may come in the middle of a statement.
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  // This process or this machine has no free file. A file is needed to connect, and for each page.
  'EMFILE',
  'ENFILE',
]);

export const isNothingDone = (error: unknown): boolean =>
  nothingDone.has(databaseError(error)?.code ?? '');
