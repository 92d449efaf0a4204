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

interface Reports {
  workers: readonly WorkerEnd[];
  /** The end of the worker that works afterwards. */
  last: Ending | undefined;
  /** Whether the workers write their mails into the outbox. */
  hasOutbox: boolean;
  /** Whether there is an outbox, and nobody has finished a task. Then nobody knows who wrote. */
  isUnsigned: boolean;
}

/** Whether the answer of a worker does not match its work. */
export const isMisreported = ({ workers, last, ...outbox }: Reports): boolean =>
  !workers.every((worker) => isTrueReport(worker, outbox)) ||
  (last !== undefined && !isTrueEnd(last));

function isTrueReport(
  { ending, hasSent, hasFinished }: WorkerEnd,
  { hasOutbox, isUnsigned }: Pick<Reports, 'hasOutbox' | 'isUnsigned'>,
): boolean {
  if (!('value' in ending)) return true;
  // A session that works until it is idle has many answers.
  if (Array.isArray(ending.value)) return isTrueEnd(ending);
  switch ((ending.value as Outcome | undefined)?.kind) {
    case 'done':
      return hasSent || hasFinished || isUnsigned;
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
  !('value' in ending) || isRest((ending.value as (Outcome | undefined)[]).at(-1));

const isRest = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'idle' || outcome?.kind === 'full';
