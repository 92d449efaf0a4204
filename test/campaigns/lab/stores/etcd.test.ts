import { describe, expect, test } from 'vitest';
import { situationsOf } from '../../../../src/lab/chapters/queue/situations.ts';
import {
  sessionLock,
  sessionLockToken,
} from '../../../../src/lab/chapters/queue/strategies/session-lock.ts';
import type { QueueStrategy } from '../../../../src/lab/chapters/queue/strategy.ts';
import { queueTrial } from '../../../../src/lab/chapters/queue/trial.ts';
import { replay } from '../../../../src/lab/explore/explore.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import { etcdStore } from '../../../../src/lab/stores/etcd.ts';
import { makeStage } from '../../../support/stage.ts';
import { hasEtcd } from '../../../support/stores.ts';

/** A look takes no processor time from etcd. */
const SOON = { timeout: 20_000, interval: 50 };

/** Waits until etcd itself has ended every lease. */
async function untilAllEnd() {
  const { ask } = await etcdStore.open();
  const leases = async () => (await ask<{ leases?: unknown[] }>('lease/leases', {})).leases;
  await expect.poll(leases, SOON).toBeUndefined();
}

describe.skipIf(!hasEtcd)('etcd', () => {
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
