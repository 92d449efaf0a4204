import { connect, type Database } from '../../db/client.ts';
import type { openSession } from '../../db/session.ts';
import { chapters } from '../chapters/index.ts';
import type { Lent } from '../stages/stages.ts';

/**
 * The connections of a track. If there are more sessions, some wait for a connection, as in
 * production.
 */
export const TRACK_CONNECTIONS = 20;

/** A scratch database with its connections open, for one race after the other. */
export interface Track extends Lent {
  db: Database;
}

/** Connects to a scratch database, for races in it. */
export async function openTrack(url: string, open?: typeof openSession): Promise<Track> {
  const { db, close } = connect(url, { connections: TRACK_CONNECTIONS, open });
  try {
    await openAll(db);
    return { db, close, clean: () => clearTrack(db) };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens all connections before the race, so that the race does not measure connecting. Each
 * transaction keeps its connection until the next connection is open.
 */
const openAll = (db: Database, missing = TRACK_CONNECTIONS): Promise<void> =>
  missing === 0 ? Promise.resolve() : db.transaction(() => openAll(db, missing - 1));

/** Removes the rows of earlier races. */
async function clearTrack(db: Database) {
  for (const { race } of chapters) if (race.kind === 'requests') await race.clear(db);
}
