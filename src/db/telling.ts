import { openSession } from './session.ts';
import { isCausedBy, SQLSTATE } from './sqlstate.ts';

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

/** Opens sessions that call `tell` whenever a statement fails for a reason in `EVENTS`. */
export const tellingOperator =
  (tell: (event: string, error: unknown) => void): typeof openSession =>
  (settings, codecs) => {
    const session = openSession(settings, codecs);
    return {
      ...session,
      async run(statement) {
        try {
          return await session.run(statement);
        } catch (error) {
          const code = Object.keys(EVENTS).find((each) => isCausedBy(error, each));
          if (code !== undefined) tell(EVENTS[code] ?? code, error);
          throw error;
        }
      },
    };
  };
