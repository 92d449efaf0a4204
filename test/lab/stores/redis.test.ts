import { describe, expect, test } from 'vitest';
import { RedisKeys, redisStore } from '../../../src/lab/stores/redis.ts';
import { atOnce } from '../../support/effects.ts';

const DAY_S = 24 * 3_600;
const ending = (seconds: number) => ({ expiration: { type: 'EX', value: seconds } }) as const;

function makeKeys() {
  const keys = new RedisKeys();
  return { keys, redis: keys.commandsBy(atOnce) };
}

describe('Redis', { tags: ['redis'] }, () => {
  test('sets a key with NX only if the key does not exist, and returns null otherwise', async () => {
    const { keys, redis } = makeKeys();
    expect(await redis.set('k', 'a', { condition: 'NX' })).toBe('OK');
    expect(await redis.set('k', 'b', { condition: 'NX' })).toBe(null);
    expect(await redis.get('k')).toBe('a');
    await keys.clear();
    expect(await redis.get('k')).toBe(null);
  });

  test('keeps the keys of two trials separate', async () => {
    const [one, other] = [makeKeys(), makeKeys()];
    await one.redis.set('k', 'a');
    expect(await other.redis.get('k')).toBe(null);
    await other.keys.clear();
    expect(await one.redis.get('k')).toBe('a');
    await one.keys.clear();
  });

  test('removes only the keys that expire within two days, when two days pass', async () => {
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

  test('fails the trial if its server is killed, and the next trial has a new server', async () => {
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

  test('gives the same answers after a key expires by itself as after passTime', async () => {
    const { keys, redis } = makeKeys();
    const keysAfter = async (pass: () => Promise<unknown>) => {
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
    const byItself = await keysAfter(untilGone);
    expect(byItself).toEqual([null, null, 'OK', 1]);
    expect(await keysAfter(() => keys.passTime())).toEqual(byItself);
    await keys.clear();
  });
});
