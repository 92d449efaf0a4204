import { type Database, databaseOver } from '../platform/db/client.ts';
import type { Codecs } from '../platform/db/session.ts';
import type { Lend } from './trial.ts';

/** Makes the databases of the programs that run in this process. */
export interface Databases {
  /** The conversions of values. The sessions of the stage must use the same conversions. */
  codecs: Codecs;
  over(lend: Lend): Database;
}

/** Returns databases of Drizzle. */
export function drizzleDatabases(): Databases {
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const over = (lend: Lend) => databaseOver({ lend }, codecs);
  // A session copies the codecs when the session is opened. So we let Drizzle write its codecs
  // first.
  over(() => Promise.reject(new Error('no session')));
  return { codecs, over };
}
