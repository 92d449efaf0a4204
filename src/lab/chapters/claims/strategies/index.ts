import { UsageError } from '../../../../process/errors.ts';
import type { Strategy } from '../strategy.ts';
import { advisoryLock } from './advisory-lock.ts';
import { conditionalUpdate } from './conditional-update.ts';
import { counterRow } from './counter-row.ts';
import { earlyUnlock } from './early-unlock.ts';
import { groupCommit } from './group-commit.ts';
import { insertThenCount } from './insert-then-count.ts';
import { insertThenLock } from './insert-then-lock.ts';
import { fencedLease, lease } from './lease.ts';
import { lostUpdate } from './lost-update.ts';
import { mutex, mutexOnTwoServers } from './mutex.ts';
import { naive } from './naive.ts';
import { noKeyUpdate } from './no-key-update.ts';
import { oneStatement } from './one-statement.ts';
import { optimistic } from './optimistic.ts';
import { repeatableRead } from './repeatable-read.ts';
import { rowLock } from './row-lock.ts';
import { serializable } from './serializable.ts';
import { shareLock } from './share-lock.ts';
import { skipLocked } from './skip-locked.ts';
import { staleSnapshot } from './stale-snapshot.ts';
import { transaction } from './transaction.ts';
import { uniqueSlot } from './unique-slot.ts';

/** The syllabus: every strategy, in the order in which the workshop meets them; the traps last. */
export const strategies: readonly Strategy[] = [
  naive,
  transaction,
  repeatableRead,
  serializable,
  rowLock,
  groupCommit,
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

/** The strategies of these names, in that order; all for none or for `all`. Throws a `UsageError`. */
export function chooseStrategies(names: readonly string[] | undefined): Strategy[] {
  if (names === undefined || names.includes('all')) return [...strategies];
  return [...new Set(names)].map((name) => {
    const strategy = strategies.find((each) => each.name === name);
    if (strategy) return strategy;
    const known = strategies.map((each) => each.name).join(', ');
    throw new UsageError(`There is no strategy "${name}". The strategies are ${known}.`);
  });
}
