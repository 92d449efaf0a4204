import { openSession } from './session.ts';
import { isCausedBy, SQLSTATE } from './sqlstate.ts';

/**
 * Opens sessions that tell `onFull` of each statement for which PostgreSQL had no room on its disk.
 * Callers are only told `busy`, so without this no operator would learn the reason.
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
