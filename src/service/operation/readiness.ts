import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { databaseError, SQLSTATE } from '../../platform/db/sqlstate.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { shared } from '../../platform/waiting/shared.ts';
import { readSchemaState, TOO_OLD } from '../database/installation.ts';
import type { Problem } from '../http/problem.ts';
import { shuttingDown } from '../http/problems.ts';

/**
 * How long we wait for the database. A later answer helps nobody, because a load balancer sends a
 * new request every few seconds.
 */
const PATIENCE_MS = 1_000;

export const databaseUnreachable = {
  status: 503,
  code: 'database-unreachable',
  title: 'Database not reachable',
  detail: 'The database did not answer within a second.',
} as const satisfies Problem;

export const migrationsMissing = {
  status: 503,
  code: 'migrations-missing',
  title: 'Migrations missing',
  detail: 'The database lacks a migration of this version. Run: npm run migrate',
} as const satisfies Problem;

export const databaseTooNew = {
  status: 503,
  code: 'database-too-new',
  title: 'Database too new',
  detail: TOO_OLD,
} as const satisfies Problem;

export const databaseReadOnly = {
  status: 503,
  code: 'database-read-only',
  title: 'Database is read-only',
  detail: 'The database accepts no writes. It may be a standby, or no longer the primary.',
} as const satisfies Problem;

export const workerCannotRenew = {
  status: 503,
  code: 'worker-cannot-renew',
  title: 'Worker cannot renew its leases',
  detail: 'The worker of this process cannot renew its leases. Other workers may take its tasks.',
} as const satisfies Problem;

type DatabaseProblem =
  | typeof databaseUnreachable
  | typeof databaseReadOnly
  | typeof migrationsMissing
  | typeof databaseTooNew;

/** The result of a check of the database. */
interface Look {
  /** Undefined if the check found no problem. */
  problem: DatabaseProblem | undefined;
  /** Whether the database has migrations that this version does not know. */
  isNewer: boolean;
}

export interface ReadinessDeps {
  db: Database;
  isDraining: () => boolean;
  /** Whether the worker of this process, if there is one, can renew its leases. */
  isAbleToRenew: () => boolean;
}

const unreachable: Look = { problem: databaseUnreachable, isNewer: false };

/**
 * Returns a function that checks whether this process should get requests. If not, the result has a
 * `problem`.
 */
export function createReadiness({ db, isDraining, isAbleToRenew }: ReadinessDeps) {
  // Requests during a check share its result, so that they cannot pile up if the database hangs.
  const lookOnce = shared(() => lookAt(db));
  const look = () => inTime(lookOnce(), PATIENCE_MS, () => unreachable);
  return async () => {
    if (isDraining()) return { problem: shuttingDown, isNewer: false };
    const { problem, isNewer } = await look();
    // If the database and the worker both have a problem, we report the database. The database
    // usually causes the problem of the worker.
    return { problem: problem ?? (isAbleToRenew() ? undefined : workerCannotRenew), isNewer };
  };
}

async function lookAt(db: Database): Promise<Look> {
  try {
    const { missing, unknown, mayServe } = await readSchemaState(db);
    const isNewer = unknown > 0;
    if (!mayServe) return { problem: databaseTooNew, isNewer };
    if (missing.length > 0) return { problem: migrationsMissing, isNewer };
    return { problem: (await isReadOnly(db)) ? databaseReadOnly : undefined, isNewer };
  } catch (error) {
    // Every new session checks its server, and refuses a standby with this error.
    const isStandby = databaseError(error)?.code === SQLSTATE.readOnlyTransaction;
    return isStandby ? { problem: databaseReadOnly, isNewer: false } : unreachable;
  }
}

/** True on a standby, and on a server where transactions are read-only by default. */
async function isReadOnly(db: Database): Promise<boolean> {
  const [row] = await db.execute(sql`SELECT current_setting('transaction_read_only') AS is`);
  return row?.is === 'on';
}
