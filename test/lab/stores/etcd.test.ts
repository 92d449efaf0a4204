import { describe, expect, test } from 'vitest';
import { EtcdKeys, etcdStore } from '../../../src/lab/stores/etcd.ts';
import { atOnce } from '../../support/effects.ts';

function makeWorkers() {
  const keys = new EtcdKeys();
  return { keys, one: keys.commandsBy(atOnce, 1), other: keys.commandsBy(atOnce, 2) };
}

/** How often a test checks etcd. At this interval, the checks take no processor time from etcd. */
const SOON = { timeout: 20_000, interval: 50 };

/** Waits until etcd itself has ended every lease. */
async function untilAllEnd() {
  const { ask } = await etcdStore.open();
  const leases = async () => (await ask<{ leases?: unknown[] }>('lease/leases', {})).leases;
  await expect.poll(leases, SOON).toBeUndefined();
}

describe('etcd', { tags: ['etcd'] }, () => {
  test('gives a lock to one session only, and a higher token to the next session', async () => {
    const { keys, one, other } = makeWorkers();
    const [first, second] = [await one.grant(30), await other.grant(30)];
    expect(await one.putIfAbsent('lock', 'W1', first)).toBe(1);
    expect(await other.putIfAbsent('lock', 'W2', second)).toBe(undefined);
    expect([await keys.isHolding(1), await keys.isHolding(2)]).toEqual([true, false]);
    await one.revoke(first);
    expect(await other.putIfAbsent('lock', 'W2', second)).toBe(2);
    expect([await keys.isHolding(1), await keys.isHolding(2)]).toEqual([false, true]);
    await keys.clear();
    expect(await keys.isHolding(2)).toBe(false);
  });

  test('shows the answer of etcd in each step', async () => {
    const keys = new EtcdKeys();
    const told: unknown[] = [];
    const one = keys.commandsBy(async (does, act) => {
      const answer = await act();
      told.push([typeof does === 'string' ? does : does.text, answer]);
      return answer;
    }, 1);
    const lease = await one.grant(30);
    await one.putIfAbsent('lock', 'W1', lease);
    await one.outlives(lease, 15);
    await one.revoke(lease);
    await one.revoke(lease);
    await keys.clear();
    expect(told).toEqual([
      ['etcd: grant lease 1 of 30 s', 1],
      ['etcd: put lock = W1 with lease 1, if there is no lock', 'written, token 1'],
      ['etcd: does lease 1 have more than 15 s left?', true],
      ['etcd: revoke lease 1', 'revoked'],
      ['etcd: revoke lease 1', 'not found: the lease is over'],
    ]);
  });

  test('keeps the keys and the tokens of two trials separate', async () => {
    const [trial, beside] = [makeWorkers(), makeWorkers()];
    for (const { one } of [trial, beside])
      expect(await one.putIfAbsent('lock', 'W1', await one.grant(30))).toBe(1);
    await beside.keys.clear();
    expect(await trial.keys.isHolding(1)).toBe(true);
    await trial.keys.clear();
  });

  test('keeps a lock after its session has ended, until the lease ends by itself', async () => {
    const { keys, one, other } = makeWorkers();
    const session = await one.grant(3);
    await one.putIfAbsent('lock', 'W1', session);
    expect(await one.outlives(session, 1)).toBe(true);
    await expect.poll(() => one.outlives(session, 1), SOON).toBe(false);
    // The session is over, and the delay has begun.
    expect(await other.putIfAbsent('lock', 'W2', await other.grant(30))).toBe(undefined);
    await expect.poll(() => keys.isHolding(1), SOON).toBe(false);
    expect(await other.putIfAbsent('lock', 'W2', await other.grant(30))).toBe(2);
    await keys.clear();
  });

  test('names the leases that passTime ends', async () => {
    const { keys, one } = makeWorkers();
    await one.revoke(await one.grant(30));
    await one.grant(30);
    await keys.passTime();
    expect(keys.runOut()).toEqual(['lease 2 of etcd ends, with its keys']);
    await keys.passTime();
    expect(keys.runOut()).toEqual([]);
  });

  test('gives the same answers after a lease ends by itself as after passTime', async () => {
    const keysAfter = async (pass: (keys: EtcdKeys) => Promise<unknown>) => {
      const { keys, one, other } = makeWorkers();
      const session = await one.grant(1);
      await one.putIfAbsent('lock', 'W1', session);
      await pass(keys);
      const next = await other.grant(30);
      const told = [
        await keys.isHolding(1),
        await one.outlives(session, 0),
        await one.keepAlive(session),
        await one.putIfAbsent('other', 'W1', session),
        await other.putIfAbsent('lock', 'W2', next),
        await one.revoke(session),
      ];
      await keys.clear();
      return told;
    };
    const byItself = await keysAfter(untilAllEnd);
    expect(byItself).toEqual([false, false, false, undefined, 2, undefined]);
    expect(await keysAfter((keys) => keys.passTime())).toEqual(byItself);
  });
});
