import { type Database, databaseOver } from './client.ts';
import { beginWith, NOT_COMPILED } from './parameters.ts';
import { type Codecs, openSession, type SessionSettings } from './session.ts';

const CLOSE_PATIENCE_S = 5;

interface Alone {
  db: Database;
  close(): Promise<void>;
}

/**
 * Opens a database over one connection. Statements have no time limit. If `ownBegin` is given, each
 * transaction begins with this text. A statement outside of a transaction then gets a transaction
 * of its own.
 */
export function databaseAlone(
  url: string,
  parameters: SessionSettings['parameters'],
  ownBegin?: string,
): Alone {
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const session = openSession({ url, parameters }, codecs);
  const db = databaseOver({ lend: (use) => use(session) }, codecs, ownBegin);
  return { db, close: () => session.close(CLOSE_PATIENCE_S) };
}

/**
 * Opens a database for an operator's command. PostgreSQL does not compile (JIT) the statements of
 * this command.
 */
export const databaseOfCommand = (url: string, name: string): Alone =>
  databaseAlone(url, { application_name: name }, beginWith(NOT_COMPILED));
