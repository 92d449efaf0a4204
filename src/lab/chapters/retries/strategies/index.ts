import type { RetryStrategy } from '../strategy.ts';
import { advisoryLock, advisoryLockRepeatableRead } from './advisory-lock.ts';
import { checkThenAct } from './check-then-act.ts';
import { deleteOnFailure } from './delete-on-failure.ts';
import { insertFirst } from './insert-first.ts';
import { lease, leaseProvider } from './lease.ts';
import { lockedRow } from './locked-row.ts';
import { map } from './map.ts';
import { none } from './none.ts';
import { chargeInTransaction, oneTransaction } from './one-transaction.ts';
import { production } from './production.ts';
import { promiseMap } from './promise-map.ts';
import { providerKey, providerKeyForADay } from './provider-key.ts';
import { setNx, setNxAnswer } from './set-nx.ts';
import { status, statusConflict, statusProvider } from './status.ts';
import { workFirst } from './work-first.ts';

/** All strategies, in the order of the workshop. */
export const strategies: readonly RetryStrategy[] = [
  none,
  map,
  promiseMap,
  checkThenAct,
  insertFirst,
  workFirst,
  oneTransaction,
  chargeInTransaction,
  status,
  statusConflict,
  deleteOnFailure,
  lease,
  lockedRow,
  advisoryLock,
  advisoryLockRepeatableRead,
  setNx,
  setNxAnswer,
  providerKey,
  providerKeyForADay,
  statusProvider,
  leaseProvider,
  production,
];
