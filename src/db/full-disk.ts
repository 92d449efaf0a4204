import { openSession } from './session.ts';
import { isCausedBy, SQLSTATE } from './sqlstate.ts';

/**
 * Opens sessions that call `onFull` whenever a statement fails because the disk of PostgreSQL is
 * full. HTTP clients see only the error `busy`, so operators need another way to learn the reason.
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
