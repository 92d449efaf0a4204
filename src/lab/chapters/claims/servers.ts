import type { Database } from '../../../db/client.ts';
import type { ClaimStrategy } from './strategy.ts';

/** Starts servers, one for each `db`. Each server has a memory of its own. */
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
