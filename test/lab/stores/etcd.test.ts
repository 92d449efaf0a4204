import { describe, expect, test } from 'vitest';
import { EtcdKeys, etcdStore } from '../../../src/lab/stores/etcd.ts';
import { atOnce } from '../../support/effects.ts';
import { hasEtcd } from '../../support/stores.ts';

function makeWorkers() {
  const keys = new EtcdKeys();
  return { keys, one: keys.commandsBy(atOnce, 1), other: keys.commandsBy(atOnce, 2) };
}

/** A look takes no processor time from etcd. */
const SOON = { timeout: 20_000, interval: 50 };

/** Waits until etcd itself has ended every lease. */
async function untilAllEnd() {
  const { ask } = await etcdStore.open();
  const leases = async () => (await ask<{ leases?: unknown[] }>('lease/leases', {})).leases;
  await expect.poll(leases, SOON).toBeUndefined();
}

describe.skipIf(!hasEtcd)('etcd', () => {
  test('gives a lock to one session, and a higher token to the next', async () => {
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

  test('says in each step what etcd has answered', async () => {
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

  test('has keys and tokens of its own for each trial', async () => {
    const [trial, beside] = [makeWorkers(), makeWorkers()];
    for (const { one } of [trial, beside])
      expect(await one.putIfAbsent('lock', 'W1', await one.grant(30))).toBe(1);
    await beside.keys.clear();
    expect(await trial.keys.isHolding(1)).toBe(true);
    await trial.keys.clear();
  });

  test('keeps others out for a while after the session, until the lease ends by itself', async () => {
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

  test('ends a lease in the same way by itself as by passing time', async () => {
    const after = async (pass: (keys: EtcdKeys) => Promise<unknown>) => {
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
    const byItself = await after(untilAllEnd);
    expect(byItself).toEqual([false, false, false, undefined, 2, undefined]);
    expect(await after((keys) => keys.passTime())).toEqual(byItself);
  });
});
