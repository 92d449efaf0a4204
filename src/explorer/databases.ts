import { type Database, databaseOver } from '../platform/db/client.ts';
import type { Codecs } from '../platform/db/session.ts';
import type { Lend } from './trial.ts';

/** Makes the databases of the programs that run in this process. */
export interface Databases {
  /** The conversions of values. The sessions of the stage must use the same conversions. */
  codecs: Codecs;
  over(lend: Lend): Database;
}

/** The sessions below the databases of programs. */
const lends = new WeakMap<Database, Lend>();

/**
 * Returns the `lend` of a program's database. A program that sends its own BEGIN and COMMIT uses this
 * `lend`, and not the database.
 */
export function lendOf(db: Database): Lend {
  const lend = lends.get(db);
  if (!lend) throw new Error('this database is not the database of a program');
  return lend;
}

/** Returns databases of Drizzle. */
export function drizzleDatabases(): Databases {
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const over = (lend: Lend) => {
    const db = databaseOver({ lend }, codecs);
    lends.set(db, lend);
    return db;
  };
  // A session copies the codecs when the session is opened. So we let Drizzle write its codecs
  // first.
  over(() => Promise.reject(new Error('no session')));
  return { codecs, over };
}
