import type { QueueStrategy } from '../strategy.ts';
import { advisoryLock, advisoryLockLookAgain } from './advisory-lock.ts';
import { attemptsAfterWork, attemptsAtClaim, attemptsInTransaction } from './attempts.ts';
import { compareAndSet } from './compare-and-set.ts';
import { deleteOnClaim } from './delete-on-claim.ts';
import { dropRepeats } from './drop-repeats.ts';
import { forUpdate } from './for-update.ts';
import { heldTransaction } from './held-transaction.ts';
import { insertUnlessExists } from './insert-unless-exists.ts';
import { lease } from './lease.ts';
import { leaseAndOutbox } from './lease-and-outbox.ts';
import { leaseByAttempt } from './lease-by-attempt.ts';
import { leaseByName } from './lease-by-name.ts';
import { missedHeartbeat, permitFreedTwice } from './missed-heartbeat.ts';
import { mutex, mutexInTwoProcesses } from './mutex.ts';
import { outbox } from './outbox.ts';
import { production } from './production.ts';
import { renewedLease } from './renewed-lease.ts';
import { rescueByNode } from './rescue-by-node.ts';
import { selectThenUpdate } from './select-then-update.ts';
import { sessionLock, sessionLockId, sessionLockToken } from './session-lock.ts';
import { skipLocked } from './skip-locked.ts';
import { subselectCheckedAgain } from './subselect-checked-again.ts';
import { token } from './token.ts';
import { updateSubselect } from './update-subselect.ts';

/**
 * All strategies, in the order of the workshop. The traps come last. The published bugs are among
 * the traps.
 */
export const strategies: readonly QueueStrategy[] = [
  selectThenUpdate,
  compareAndSet,
  updateSubselect,
  subselectCheckedAgain,
  forUpdate,
  skipLocked,
  deleteOnClaim,
  heldTransaction,
  outbox,
  lease,
  leaseByAttempt,
  renewedLease,
  token,
  dropRepeats,
  production,
  leaseByName,
  leaseAndOutbox,
  attemptsAtClaim,
  attemptsAfterWork,
  attemptsInTransaction,
  advisoryLock,
  advisoryLockLookAgain,
  sessionLock,
  sessionLockToken,
  sessionLockId,
  mutex,
  mutexInTwoProcesses,
  missedHeartbeat,
  permitFreedTwice,
  rescueByNode,
  insertUnlessExists,
];
