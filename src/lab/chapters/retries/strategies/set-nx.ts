import { done, running } from '../queries.ts';
import type { RetryStrategy } from '../strategy.ts';

/** One day. A repeat within a day is dropped. */
const TTL_S = 24 * 3_600;
/** The key ends by itself, so nobody needs to delete it. */
const expiration = { type: 'EX', value: TTL_S } as const;

/**
 * `SET NX` lets one request in, until the key ends. It fails both ways, by the time of the repeat alone.
 * A repeat that comes early believes the key, even if the first server died before the charge. A repeat
 * that comes after the TTL finds no key, and charges again.
 * Witness (early): S1 sets the key and dies, the client asks again at once and is told that it was
 * charged. Witness (alone): S1 charges and dies, two days pass, the client asks again.
 */
export const setNx: RetryStrategy = {
  name: 'set-nx',
  idea: 'SET key NX EX in Redis, then charge: too early or too late',
  promise: 'nothing',
  needs: 'redis',
  timed: true,
  forgets: true,
  async handle(_db, { key }, server) {
    // THE GAP: until the TTL ends, the key says that the work is done. Afterwards nothing says so.
    const isFirst = await server.redis.set(key, 'taken', { condition: 'NX', expiration });
    if (!isFirst) return done(null);
    return done(await server.charge());
  },
};

/**
 * The same, with the answer stored in the key. So a repeat gets the answer of the first request. But a
 * key without an answer does not tell whether its server still works, or is dead.
 * Witness (early): S1 sets the key and dies, the client is told to ask again until the TTL ends.
 * Witness (alone): S1 charges and dies, two days pass, the client asks again.
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
    // THE GAP: until the TTL ends, nobody else does the work. Afterwards anybody does it again.
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
