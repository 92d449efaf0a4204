import type { Database } from '../../src/db/client.ts';
import type { RetryStrategy } from '../../src/lab/chapters/retries/strategy.ts';

/**
 * The same strategy, but each of its statements commits at once. So nothing is rolled back, and a lock
 * of a transaction ends with its statement.
 */
export function withoutTransactions(strategy: RetryStrategy): RetryStrategy {
  const apart =
    (handle: RetryStrategy['handle']): RetryStrategy['handle'] =>
    (db, ...rest) =>
      handle(committing(db), ...rest);
  const restart = () => apart(strategy.restart?.() ?? strategy.handle);
  return { ...strategy, handle: apart(strategy.handle), restart };
}

const committing = (db: Database): Database =>
  Object.create(db, { transaction: { value: (work: (tx: Database) => unknown) => work(db) } });
