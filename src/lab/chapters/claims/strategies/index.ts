import type { ClaimStrategy } from '../strategy.ts';
import { advisoryLock } from './advisory-lock.ts';
import { conditionalUpdate } from './conditional-update.ts';
import { counterRow } from './counter-row.ts';
import { earlyUnlock } from './early-unlock.ts';
import { insertThenCount } from './insert-then-count.ts';
import { insertThenLock } from './insert-then-lock.ts';
import { fencedLease, lease } from './lease.ts';
import { lostUpdate } from './lost-update.ts';
import { mutex, mutexOnTwoServers } from './mutex.ts';
import { naive } from './naive.ts';
import { noKeyUpdate } from './no-key-update.ts';
import { oneStatement } from './one-statement.ts';
import { optimistic } from './optimistic.ts';
import { production } from './production.ts';
import { repeatableRead } from './repeatable-read.ts';
import { rowLock } from './row-lock.ts';
import { serializable } from './serializable.ts';
import { shareLock } from './share-lock.ts';
import { skipLocked } from './skip-locked.ts';
import { staleSnapshot } from './stale-snapshot.ts';
import { transaction } from './transaction.ts';
import { uniqueSlot } from './unique-slot.ts';

/** All strategies, in the order of the workshop. The traps come last. */
export const strategies: readonly ClaimStrategy[] = [
  naive,
  transaction,
  rowLock,
  production,
  repeatableRead,
  serializable,
  noKeyUpdate,
  counterRow,
  conditionalUpdate,
  optimistic,
  advisoryLock,
  uniqueSlot,
  skipLocked,
  mutex,
  mutexOnTwoServers,
  lease,
  fencedLease,
  oneStatement,
  staleSnapshot,
  earlyUnlock,
  shareLock,
  lostUpdate,
  insertThenCount,
  insertThenLock,
];
