import type { Ending } from '../../chapter.ts';
import type { Outcome } from './strategy.ts';

/** How a session ended, and what it did. */
interface WorkerEnd {
  ending: Ending;
  hasSent: boolean;
  /** Whether the worker finished a task. It may be the task of a dead worker. */
  hasFinished: boolean;
}

/** Whether all workers ended with an answer, and none of them did anything. */
export const hasNobodyWorked = (workers: readonly WorkerEnd[]): boolean =>
  workers.every(({ ending, ...done }) => 'value' in ending && !done.hasSent && !done.hasFinished);

/**
 * Whether a worker said something else than it had done. `last` is the end of the worker that works
 * afterwards. With an outbox, a worker writes its mails there.
 */
export const isMisreported = (
  workers: readonly WorkerEnd[],
  last: Ending | undefined,
  hasOutbox: boolean,
): boolean =>
  !workers.every((worker) => isTrueReport(worker, hasOutbox)) ||
  (last !== undefined && !isTrueEnd(last));

function isTrueReport({ ending, hasSent, hasFinished }: WorkerEnd, hasOutbox: boolean): boolean {
  if (!('value' in ending)) return true;
  // A session that works until it is idle has many answers.
  if (Array.isArray(ending.value)) return isTrueEnd(ending);
  switch ((ending.value as Outcome | undefined)?.kind) {
    case 'done':
      // A row of the outbox does not say which worker wrote it.
      return hasSent || hasFinished || hasOutbox;
    case 'idle':
    case 'full':
      return !hasSent && !(hasOutbox && hasFinished);
    case 'lost':
      return !((hasSent || hasOutbox) && hasFinished);
    default:
      return false;
  }
}

/** Whether a worker that works until it is idle says at last that there is nothing more to do. */
const isTrueEnd = (ending: Ending): boolean =>
  !('value' in ending) || (ending.value as Outcome[]).at(-1)?.kind !== 'done';
