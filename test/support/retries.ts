import { KEY } from '../../src/lab/chapters/retries/keys.ts';
import { chargeInside, done } from '../../src/lab/chapters/retries/queries.ts';
import type { Answer, RetryStrategy } from '../../src/lab/chapters/retries/strategy.ts';
import type { Database, Transaction } from '../../src/platform/db/client.ts';
import type { RequestKey } from '../../src/service/idempotency/keys.ts';
import {
  findAnswers,
  lockKey,
  nameOfKey,
  storeAnswers,
} from '../../src/service/idempotency/queries.ts';

/**
 * Returns the same strategy, but each of its statements is an autocommit statement. So nothing is
 * rolled back, and a lock of a transaction ends with its statement.
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

/** Returns the key of a request. The functions below call the parts of production's transaction. */
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

/** Returns a strategy that is made of these parts. */
export const made = (handle: RetryStrategy['handle']): RetryStrategy => ({
  name: 'parts of production',
  idea: '',
  promise: 'nothing',
  timed: true,
  handle,
});

/** A strategy with production's whole transaction, made of its parts. */
export const whole = made((db, { key }) =>
  db.transaction(async (tx) => {
    await lock(tx, key);
    return (await look(tx, key)) ?? store(tx, await charge(tx, key), { key });
  }),
);
