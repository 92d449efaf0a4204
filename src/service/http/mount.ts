import type { Log } from '../../platform/process/log.ts';
import type { newRoutes } from './new-routes.ts';
import type { Meaning } from './problem-list.ts';

/** The values that the service shares with its mounts. */
export interface Shared {
  /** The address of the migrated database. */
  databaseUrl: string;
  /** The name of the database in the log. */
  databaseName: string;
  log: Log;
  /** Aborted when the service begins to stop. Then all streams end. */
  stop: AbortSignal;
  /** Pages of these origins may use the service. */
  corsOrigins: readonly string[] | undefined;
}

/**
 * Routes that another wing (another folder of `src`) adds to the service. The service does not know
 * the wing.
 */
export interface Mount {
  /** The address below which the routes are. It begins with a slash. */
  path: string;
  /** Addresses that need no token. A `*` at the end stands for any text. */
  openPages?: readonly string[];
  /** The problems that only these routes answer, by their codes. They have pages too. */
  problems?: Record<string, Meaning>;
  /** How many milliseconds the longest answer takes. A shutdown waits for this answer. */
  longestAnswerMs?: number;
  open(shared: Shared): Mounted;
}

export interface Mounted {
  /** Called once. If it throws, the service closes the mount. */
  routes(): ReturnType<typeof newRoutes>;
  /** Called when the service begins to stop. */
  leave?(): Promise<unknown> | undefined;
  /** Called after the last answer. */
  close?(): Promise<unknown>;
}
