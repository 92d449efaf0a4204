import { connect, type Database } from '../../platform/db/client.ts';
import { openSession } from '../../platform/db/session.ts';
import { chapters } from '../chapters/index.ts';
import type { Lent } from '../stages/stages.ts';

/**
 * The number of connections of a track. If a race has more sessions, some sessions wait for a
 * connection, as in production.
 */
export const TRACK_CONNECTIONS = 20;

/** A scratch database with open connections. Races use a track one after the other. */
export interface Track extends Lent {
  db: Database;
  /** How many transactions have begun. A strategy that tries again begins another transaction. */
  begun(): number;
}

/** Connects to a scratch database, for races in it. */
export async function openTrack(url: string, open = openSession): Promise<Track> {
  let begun = 0;
  const counted: typeof openSession = (settings, codecs) => {
    const session = open(settings, codecs);
    const run: typeof session.run = (statement) => {
      if (/^begin\b/i.test(statement.text)) begun++;
      return session.run(statement);
    };
    return { ...session, run };
  };
  const { db, close } = connect(url, { connections: TRACK_CONNECTIONS, open: counted });
  try {
    await openAll(db);
    return { db, close, clean: () => clearTrack(db), begun: () => begun };
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
