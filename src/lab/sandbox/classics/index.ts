import { deadlockByOrder, deadlockByUpgrade, lostUpdate, overdraft, readSkew } from './accounts.ts';
import type { Classic } from './classic.ts';
import { duplicate, orphan, queue } from './rows.ts';
import { doctorsOnCall, marbles, oldSnapshot, phantom } from './skews.ts';

/** All well-known faults that the sandbox offers, from the simplest to the most surprising. */
export const classics: readonly Classic[] = [
  lostUpdate,
  overdraft,
  duplicate,
  phantom,
  readSkew,
  doctorsOnCall,
  marbles,
  oldSnapshot,
  deadlockByOrder,
  deadlockByUpgrade,
  queue,
  orphan,
];
