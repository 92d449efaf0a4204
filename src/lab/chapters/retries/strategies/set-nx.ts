import { done, running } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/** The life of a key in seconds: one day. A repeat within this day is dropped. */
const TTL_S = 24 * 3_600;
/** The key ends by itself, so nobody needs to delete it. */
const expiration = { type: 'EX', value: TTL_S } as const;

/**
 * `SET NX` lets only one request charge until the key ends. The strategy fails both with an early
 * and with a late repeat. A repeat that comes early believes the key, even if the first server died
 * before the charge. A repeat that comes after the TTL finds no key, and charges again.
 * Counterexample (early): S1 sets the key and dies. The client immediately asks again and is told
 * that it was charged.
 * Counterexample (alone): S1 charges and dies. Two days pass. The client asks again.
 */
export const setNx: RetryStrategy = {
  name: 'set-nx',
  idea: 'SET key NX EX in Redis, then charge: too early or too late',
  promise: 'nothing',
  needs: 'redis',
  timed: true,
  forgets: true,
  async handle(_db, { key }, server) {
    // THE GAP: until the TTL ends, the key says that the work is done. Then the key is gone.
    const isFirst = await server.redis.set(key, 'taken', { condition: 'NX', expiration });
    if (!isFirst) return done(null);
    return done(await server.charge());
  },
};

/**
 * The same `SET NX`, with the answer stored in the key. So a repeat gets the answer of the first
 * request. But a key without an answer does not tell whether its server still works or is dead.
 * Counterexample (early): S1 sets the key and dies. The client is told to ask again until the TTL
 * ends.
 * Counterexample (alone): S1 charges and dies. Two days pass. The client asks again.
 */
export const setNxAnswer: RetryStrategy = {
  name: 'set-nx-answer',
  file: 'set-nx',
  idea: 'SET key NX EX in Redis, and the answer stored in the key',
  promise: 'nothing',
  needs: 'redis',
  timed: true,
  forgets: true,
  async handle(_db, { key }, server) {
    // THE GAP: until the TTL ends, nobody else does the work. After the TTL, any repeat does the
    // work again.
    const isFirst = await server.redis.set(key, PENDING, { condition: 'NX', expiration });
    if (!isFirst) return answerOf(await server.redis.get(key));
    const receipt = await server.charge();
    await server.redis.set(key, String(receipt), { expiration });
    return done(receipt);
  },
};

const PENDING = 'pending';

const answerOf = (value: string | null) =>
  value === null || value === PENDING ? running : done(Number(value));
