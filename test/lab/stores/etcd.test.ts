import { describe, expect, test } from 'vitest';
import { situationsOf } from '../../../src/lab/chapters/queue/situations.ts';
import {
  sessionLock,
  sessionLockToken,
} from '../../../src/lab/chapters/queue/strategies/session-lock.ts';
import type { QueueStrategy } from '../../../src/lab/chapters/queue/strategy.ts';
import { queueTrial } from '../../../src/lab/chapters/queue/trial.ts';
import { replay } from '../../../src/lab/explore/explore.ts';
import { tell } from '../../../src/lab/explore/tell.ts';
import { EtcdKeys, etcdStore } from '../../../src/lab/stores/etcd.ts';
import { atOnce } from '../../support/effects.ts';
import { makeStage } from '../../support/stage.ts';
import { hasEtcd } from '../../support/stores.ts';

function makeWorkers() {
  const keys = new EtcdKeys();
  return { keys, one: keys.commandsBy(atOnce, 1), other: keys.commandsBy(atOnce, 2) };
}

/** Waits until etcd itself has ended every lease. */
async function untilAllEnd() {
  const { ask } = await etcdStore.open();
  while ((await ask<{ leases?: unknown[] }>('lease/leases', {})).leases);
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
    while (await one.outlives(session, 1));
    // The session is over, and the delay has begun.
    expect(await other.putIfAbsent('lock', 'W2', await other.grant(30))).toBe(undefined);
    while (await keys.isHolding(1));
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

  // Sessions of three seconds, so that they end soon by themselves.
  const short = (strategy: QueueStrategy): QueueStrategy => ({
    ...strategy,
    work: (db, worker) =>
      strategy.work(db, {
        ...worker,
        etcd: {
          ...worker.etcd,
          grant: () => worker.etcd.grant(3),
          outlives: (lease) => worker.etcd.outlives(lease, 0),
        },
      }),
  });

  test.each([
    [sessionLock, 'slow', '1,1,1,1,1,t,2,2,2,2,2,2,2,2,2,1,1,1,1', 'twice'],
    [sessionLock, 'crash', '1,1,1,k1,2,2', undefined],
    [sessionLockToken, 'slow', '1,1,1,1,1,t,2,2,2,2,2,2,2,2,2,1,1,1,1', undefined],
  ])('plays the same schedule of $name in $1 with a real end of the sessions', async (...row) => {
    const [strategy, name, schedule, fault] = row;
    const situation = situationsOf(strategy).find((each) => each.name === name);
    if (!situation) throw new Error(`there is no situation ${name}`);
    const stage = await makeStage();
    const play = async (passTime?: () => Promise<void>) => {
      const trial = queueTrial(short(strategy), situation, 2);
      return replay(stage, passTime ? { ...trial, passTime } : trial, schedule.split(','));
    };
    const played = await play();
    expect(played.faults[0]).toBe(fault);
    expect(tell(await play(untilAllEnd)).transcript).toBe(tell(played).transcript);
  });
});
