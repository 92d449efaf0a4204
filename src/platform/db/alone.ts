import { type Database, databaseOver } from './client.ts';
import { type Codecs, openSession, type SessionSettings } from './session.ts';

const CLOSE_PATIENCE_S = 5;

/** Opens a database over one connection. Statements have no time limit. */
export function databaseAlone(
  url: string,
  parameters: SessionSettings['parameters'],
): { db: Database; close(): Promise<void> } {
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const session = openSession({ url, parameters }, codecs);
  const db = databaseOver({ lend: (use) => use(session) }, codecs);
  return { db, close: () => session.close(CLOSE_PATIENCE_S) };
}
