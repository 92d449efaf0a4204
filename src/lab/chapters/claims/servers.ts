import type { Database } from '../../../platform/db/client.ts';
import type { ClaimStrategy } from './strategy.ts';

/**
 * Returns a `claim` that starts a separate server for each `db`, at the first claim with this `db`.
 * Each server has its own memory.
 */
export function serverPerDatabase(
  start: (db: Database) => ClaimStrategy['claim'],
): ClaimStrategy['claim'] {
  const servers = new WeakMap<Database, ClaimStrategy['claim']>();
  return (db, request) => {
    const claim = servers.get(db) ?? start(db);
    servers.set(db, claim);
    return claim(db, request);
  };
}
