import { openSession } from './session.ts';
import { isCausedBy, SQLSTATE } from './sqlstate.ts';

/**
 * Opens sessions that call `onFull` whenever PostgreSQL has no room on its disk for a statement.
 * Callers are told only `busy`, so operators would otherwise not learn the reason.
 */
export const tellingOfFullDisk =
  (onFull: (error: unknown) => void): typeof openSession =>
  (settings, codecs) => {
    const session = openSession(settings, codecs);
    return {
      ...session,
      async run(statement) {
        try {
          return await session.run(statement);
        } catch (error) {
          if (isCausedBy(error, SQLSTATE.diskFull)) onFull(error);
          throw error;
        }
      },
    };
  };
