import { beforeAll, describe, expect, test } from 'vitest';
import { explore, replay } from '../../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../../src/explorer/stage.ts';
import { tell } from '../../../../../src/explorer/tell.ts';
import { situationsOf } from '../../../../../src/lab/chapters/queue/situations.ts';
import {
  sessionLock,
  sessionLockId,
  sessionLockToken,
} from '../../../../../src/lab/chapters/queue/strategies/session-lock.ts';
import type { QueueStrategy } from '../../../../../src/lab/chapters/queue/strategy.ts';
import { queueTrial } from '../../../../../src/lab/chapters/queue/trial.ts';
import { makeStage } from '../../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/**
 * The maximum number of schedules. A schedule takes 20 ms. The check of docs/strategies.md plays
 * more schedules, and gets the same counts each time.
 */
const MOST = 10;

function trialOf(strategy: QueueStrategy, name: string) {
  const situation = situationsOf(strategy).find((each) => each.name === name);
  if (!situation) throw new Error(`${strategy.name} is not tried in ${name}`);
  return queueTrial(strategy, situation, 2);
}

const play = (strategy: QueueStrategy, name: string, schedule: string) =>
  replay(stage, trialOf(strategy, name), schedule.split(','));

/** S1 renews its session, time passes, S2 does the task, and S1 goes on. */
const LATE = '1,1,1,1,1,t,2,2,2,2,2,2,2,2,2,1,1,1,1';

describe('a session lock', { tags: ['etcd'] }, () => {
  test('sends the mail twice if a worker dies after the mail', async () => {
    for (const strategy of [sessionLock, sessionLockToken])
      expect((await explore(stage, trialOf(strategy, 'alone'))).faults).toEqual({ twice: 1 });
  });

  test('does not stop a slow holder that sends after the next holder', async () => {
    const played = await play(sessionLock, 'slow', LATE);
    expect(played.faults).toEqual(['twice', 'overwritten', 'late']);
    expect(tell(played).transcript).toMatch(
      /accepted: mail 2 of task 1, from a worker\s+without the lease/,
    );
  });

  test('with a fencing token stops a slow holder that sends after the next holder', async () => {
    const played = await play(sessionLockToken, 'slow', LATE);
    expect(played.faults).toEqual([]);
    expect(tell(played).transcript).toContain('refused: an old token');
  });

  test('of a dead worker keeps other workers out until time passes', async () => {
    const { endings, faults } = await play(sessionLock, 'crash', '1,1,k1,2,2');
    expect(endings.slice(0, 2)).toEqual([{ died: true }, { value: { kind: 'lost' } }]);
    expect(faults).toEqual([]);
  });

  test('stops a worker whose session is over before the mail', async () => {
    const { endings, faults } = await play(sessionLock, 'slow', '1,1,1,t,1,2,2,2,2,2,2,2,2,2');
    expect(endings.slice(0, 2)).toEqual([{ value: { kind: 'lost' } }, { value: { kind: 'done' } }]);
    expect(faults).toEqual([]);
  });

  test.each(['alone', 'crash', 'slow'])(
    'with an id in each mail has no fault in the situation %s',
    async (name) => {
      const found = await explore(stage, trialOf(sessionLockId, name), { most: MOST });
      const [played] = Object.values(found.counterexamples);
      expect(played && tell(played).transcript).toBeUndefined();
    },
  );
});
