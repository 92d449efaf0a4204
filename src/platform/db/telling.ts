import { type Log, seldom } from '../process/log.ts';
import { openSession } from './session.ts';
import { isCausedBy, isNothingDone, mayPass, SQLSTATE } from './sqlstate.ts';
import { unusable } from './unusable.ts';

const NO_STATEMENT = 'the database lost a prepared statement';

/**
 * The event in the log for each error that an operator must know. HTTP clients see only the error
 * `busy` or `internal-error`.
 */
const EVENTS: Record<string, string> = {
  [SQLSTATE.diskFull]: 'the database has no room',
  [SQLSTATE.noSuchStatement]: NO_STATEMENT,
  [SQLSTATE.duplicateStatement]: NO_STATEMENT,
};

/** The event for a wrong password, name or certificate. The words of the error name the reason. */
const REFUSED = 'the database refuses connections';

/**
 * Returns a function that opens sessions. Such a session logs the reason of a failed statement, at
 * most once a minute for each event.
 */
export function tellingOperator(log: Log, databaseName: string): typeof openSession {
  const logSeldom = seldom(log);
  return (settings, codecs) => {
    const session = openSession(settings, codecs);
    let hasAnswered = false;
    const eventOf = (error: unknown): string | undefined => {
      const [, event] = Object.entries(EVENTS).find(([code]) => isCausedBy(error, code)) ?? [];
      const isRefusal = !hasAnswered && !mayPass(error) && !isNothingDone(error);
      return event ?? (isRefusal ? REFUSED : undefined);
    };
    return {
      ...session,
      async run(statement) {
        try {
          const rows = await session.run(statement);
          hasAnswered = true;
          return rows;
        } catch (error) {
          const event = eventOf(error);
          if (event) logSeldom({ event, reason: unusable(databaseName, error).message });
          throw error;
        }
      },
    };
  };
}
