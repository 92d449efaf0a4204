import { describe, expect, test } from 'vitest';
import { replay } from '../../../../src/explorer/explore.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { situationsOf } from '../../../../src/lab/chapters/queue/situations.ts';
import {
  sessionLock,
  sessionLockToken,
} from '../../../../src/lab/chapters/queue/strategies/session-lock.ts';
import type { QueueStrategy } from '../../../../src/lab/chapters/queue/strategy.ts';
import { queueTrial } from '../../../../src/lab/chapters/queue/trial.ts';
import { etcdStore } from '../../../../src/lab/stores/etcd.ts';
import { makeStage } from '../../../support/stage.ts';

/** The limits of a wait. Frequent checks are fine, because a check costs etcd almost nothing. */
const SOON = { timeout: 20_000, interval: 50 };

/** Waits until etcd itself has ended every lease. */
async function untilAllEnd() {
  const { ask } = await etcdStore.open();
  const leases = async () => (await ask<{ leases?: unknown[] }>('lease/leases', {})).leases;
  await expect.poll(leases, SOON).toBeUndefined();
}

describe('etcd', { tags: ['etcd'] }, () => {
  // Makes the sessions only three seconds long, so that they end soon by themselves.
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
  ])(
    'gives the same transcript for $name in $1 when etcd itself ends the sessions',
    async (...row) => {
      const [strategy, name, schedule, fault] = row;
      const situation = situationsOf(strategy).find((each) => each.name === name);
      if (!situation) throw new Error(`there is no situation ${name}`);
      const stage = await makeStage();
      const play = async (passTime?: () => Promise<void>) => {
        // A transcript names the leases that the explorer itself has revoked. The explorer does not
        // know the leases that etcd has ended, so both transcripts of this test name no lease.
        const trial = { ...queueTrial(short(strategy), situation, 2), runOut: async () => [] };
        return replay(stage, passTime ? { ...trial, passTime } : trial, schedule.split(','));
      };
      const played = await play();
      expect(played.faults[0]).toBe(fault);
      expect(tell(await play(untilAllEnd)).transcript).toBe(tell(played).transcript);
    },
  );
});
