import type { Database, Transaction } from '../../src/db/client.ts';
import type { RequestKey } from '../../src/http/idempotency/keys.ts';
import {
  findAnswers,
  lockKey,
  nameOfKey,
  storeAnswers,
} from '../../src/http/idempotency/queries.ts';
import { KEY } from '../../src/lab/chapters/retries/keys.ts';
import { chargeInside, done } from '../../src/lab/chapters/retries/queries.ts';
import type { Answer, RetryStrategy } from '../../src/lab/chapters/retries/strategy.ts';

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

/** The parts of production's transaction, each of them production's own. */
const requestOf = (key: string): RequestKey => ({
  caller: 'client',
  key,
  fingerprint: '',
  hours: 30 * 24,
});
export const lock = (tx: Transaction, key = KEY) => lockKey(tx, requestOf(key));
export const look = async (db: Database | Transaction, key = KEY): Promise<Answer | undefined> => {
  const request = requestOf(key);
  const known = (await findAnswers(db, [request])).get(nameOfKey(request));
  return known && done(Number(known.body));
};
export const store = async (
  tx: Transaction,
  receipt: number,
  changes: Partial<RequestKey> = {},
) => {
  const request = { ...requestOf(KEY), ...changes };
  await storeAnswers(tx, [{ ...request, status: 201, headers: {}, body: `${receipt}` }]);
  return done(receipt);
};
export const charge = (db: Database | Transaction, key = KEY) => chargeInside(db, { key });

/** A strategy of these parts. */
export const made = (handle: RetryStrategy['handle']): RetryStrategy => ({
  name: 'parts of production',
  idea: '',
  promise: 'nothing',
  timed: true,
  handle,
});

/** Production's transaction, put together from its parts. */
export const whole = made((db, { key }) =>
  db.transaction(async (tx) => {
    await lock(tx, key);
    return (await look(tx, key)) ?? store(tx, await charge(tx, key), { key });
  }),
);
