import { type Log, seldom } from '../process/log.ts';
import { openSession } from './session.ts';
import { isCausedBy, SQLSTATE } from './sqlstate.ts';
import { unusable } from './unusable.ts';

const NO_STATEMENT = 'the database lost a prepared statement';

/**
 * The errors whose reason an operator must learn, with the event for the log. HTTP clients see only
 * the error `busy` or `internal-error`.
 */
const EVENTS: Record<string, string> = {
  [SQLSTATE.diskFull]: 'the database has no room',
  [SQLSTATE.noSuchStatement]: NO_STATEMENT,
  [SQLSTATE.duplicateStatement]: NO_STATEMENT,
};

/** Opens sessions that log the reason of a failed statement, at most once a minute for each event. */
export function tellingOperator(log: Log, databaseName: string): typeof openSession {
  const logSeldom = seldom(log);
  return (settings, codecs) => {
    const session = openSession(settings, codecs);
    return {
      ...session,
      async run(statement) {
        try {
          return await session.run(statement);
        } catch (error) {
          const [, event] = Object.entries(EVENTS).find(([code]) => isCausedBy(error, code)) ?? [];
          if (event) logSeldom({ event, reason: unusable(databaseName, error).message });
          throw error;
        }
      },
    };
  };
}
