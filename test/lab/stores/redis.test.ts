import { describe, expect, test } from 'vitest';
import { RedisKeys, redisStore } from '../../../src/lab/stores/redis.ts';
import { atOnce } from '../../support/effects.ts';
import { hasRedis } from '../../support/stores.ts';

const DAY_S = 24 * 3_600;
const ending = (seconds: number) => ({ expiration: { type: 'EX', value: seconds } }) as const;

function makeKeys() {
  const keys = new RedisKeys();
  return { keys, redis: keys.commandsBy(atOnce) };
}

describe.skipIf(!hasRedis)('Redis', () => {
  test('sets a key only if there is none, and says so', async () => {
    const { keys, redis } = makeKeys();
    expect(await redis.set('k', 'a', { condition: 'NX' })).toBe('OK');
    expect(await redis.set('k', 'b', { condition: 'NX' })).toBe(null);
    expect(await redis.get('k')).toBe('a');
    await keys.clear();
    expect(await redis.get('k')).toBe(null);
  });

  test('has keys of its own for each trial', async () => {
    const [one, other] = [makeKeys(), makeKeys()];
    await one.redis.set('k', 'a');
    expect(await other.redis.get('k')).toBe(null);
    await other.keys.clear();
    expect(await one.redis.get('k')).toBe('a');
    await one.keys.clear();
  });

  test('loses the keys of a day when two days pass, and no other key', async () => {
    const { keys, redis } = makeKeys();
    await redis.set('day', 'a', ending(DAY_S));
    await redis.set('week', 'a', ending(7 * DAY_S));
    await redis.set('ever', 'a');
    await keys.passTime();
    expect([await redis.get('day'), await redis.get('week'), await redis.get('ever')]).toEqual([
      null,
      'a',
      'a',
    ]);
    for (let days = 2; days < 7; days += 2) await keys.passTime();
    expect([await redis.get('week'), await redis.get('ever')]).toEqual([null, 'a']);
    await keys.clear();
  });

  test('that was killed ends the trial, and the next trial has a new server', async () => {
    const { keys, redis } = makeKeys();
    await redis.set('k', 'a');
    const { client, ended } = await redisStore.open();
    process.kill(Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]), 'SIGKILL');
    await ended;
    await expect(redis.get('k')).rejects.toThrow(
      /^Redis does not answer any more: .+ Try again\.$/,
    );
    expect(() => keys.assertIntact()).toThrow('Redis does not answer any more');
    expect(await makeKeys().redis.get('k')).toBe(null);
  });

  test('ends a key in the same way by itself', async () => {
    const { keys, redis } = makeKeys();
    const after = async (pass: () => Promise<unknown>) => {
      await redis.set('k', 'a', ending(1));
      await pass();
      return [
        await redis.get('k'),
        await redis.set('k', 'b', { condition: 'XX' }),
        await redis.set('k', 'b', { condition: 'NX' }),
        await redis.del('k'),
      ];
    };
    const untilGone = async () => {
      const looks = { timeout: 20_000, interval: 50 };
      await expect.poll(() => redis.get('k'), looks).toBeNull();
    };
    const byItself = await after(untilGone);
    expect(byItself).toEqual([null, null, 'OK', 1]);
    expect(await after(() => keys.passTime())).toEqual(byItself);
    await keys.clear();
  });
});
