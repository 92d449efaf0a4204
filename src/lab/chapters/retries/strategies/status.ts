import { done, findKey, insertKey, running, storeReceipt } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/**
 * The key is `pending` until the receipt is stored. A repeat does pending work again, so nothing is
 * lost. But `pending` does not tell whether the first request died, or has charged, or still works.
 * Counterexample: S1 inserts the key, charges and dies. The repeat finds `pending` and charges
 * again.
 */
export const status: RetryStrategy = {
  name: 'status',
  idea: 'pending or done: a repeat does pending work again',
  promise: 'nothing',
  async handle(db, request, server) {
    const isFirst = await insertKey(db, request);
    const known = isFirst ?? (await findKey(db, request));
    if (known?.status === 'done') return done(known.receipt);
    // THE GAP: the first request may have charged, or may be about to charge.
    const receipt = await server.charge();
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};

/**
 * The same key, but a repeat that finds `pending` is told to ask again later. Nothing is done
 * twice. But nobody ever does the work of a server that has died.
 * Counterexample: S1 inserts the key and dies. The client is told to ask again for ever.
 */
export const statusConflict: RetryStrategy = {
  name: 'status-conflict',
  file: 'status',
  idea: 'pending or done: a repeat of pending work is told to ask again',
  promise: 'nothing',
  async handle(db, request, server) {
    const isFirst = await insertKey(db, request);
    const known = isFirst ?? (await findKey(db, request));
    if (known?.status === 'done') return done(known.receipt);
    // THE GAP: the first request may be dead, and then the key is pending for ever.
    if (!isFirst) return running;
    const receipt = await server.charge();
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};

/**
 * Works as `status` does, but the provider charges only once for each key. A repeat that does
 * pending work again gets the receipt of the first charge.
 */
export const statusProvider: RetryStrategy = {
  name: 'status-provider',
  file: 'status',
  idea: 'a repeat does pending work again, and the provider drops repeats',
  promise: 'once',
  async handle(db, request, server) {
    const isFirst = await insertKey(db, request);
    const known = isFirst ?? (await findKey(db, request));
    if (known?.status === 'done') return done(known.receipt);
    // THE FENCE: the provider charges once for this key.
    const receipt = await server.charge({ key: request.key });
    await storeReceipt(db, request, receipt);
    return done(receipt);
  },
};
