import type { Stage } from '../../explorer/stage.ts';
import { whenLate } from '../../platform/waiting/deadline.ts';
import type { Boxes } from './box.ts';
import { Mistake } from './statements.ts';

const NOBODY_LISTENS = 'Nobody waits for this run any more.';
const sayTooLong = (seconds: number) =>
  `The run took longer than ${seconds} seconds, so the sandbox stopped its PostgreSQL server.`;

export interface ServerOptions {
  sessions: number;
  /** The schema that the student writes without its name. */
  schema?: string;
  stop: AbortSignal | undefined;
  /** Returns an error of the work in words for the person, or the error itself. */
  explain?: (error: unknown) => unknown;
}

/**
 * Does the work on a separate server. The end of the run, and its time limit, end the server. Throws
 * a `Mistake` with the reason if the server was ended.
 */
export const onServer = <T>(
  boxes: Boxes,
  { sessions, schema, stop, explain = (error) => error }: ServerOptions,
  work: (stage: Stage) => Promise<T>,
): Promise<T> =>
  boxes.use(
    sessions,
    async ({ stage, watch }) => {
      // The end of the server also ends a statement that still runs. Nobody needs the result.
      const leave = () => watch.end(NOBODY_LISTENS);
      const mostMs = boxes.limits.run;
      stop?.addEventListener('abort', leave);
      if (stop?.aborted) leave();
      try {
        const tooLate = () => watch.end(sayTooLong(mostMs / 1000));
        const done = await whenLate(work(stage), mostMs, tooLate);
        if (watch.reason === undefined) return done;
      } catch (error) {
        if (watch.reason === undefined) throw explain(error);
      } finally {
        stop?.removeEventListener('abort', leave);
      }
      throw new Mistake(watch.reason);
    },
    schema,
  );
