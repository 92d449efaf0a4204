import { beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { finish } from '../../../../src/lab/chapters/queue/finish.ts';
import type { QueueStrategy } from '../../../../src/lab/chapters/queue/strategy.ts';
import { takeLease } from '../../../../src/lab/chapters/queue/take-lease.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import {
  expectFall,
  expectNoFault,
  exploreQueue,
  gravestOf,
  keptByTier,
  linesByTier,
  queueStrategies,
  queueStrategy,
  queueTrialOf,
  withoutProof,
} from '../../../support/queue-strategies.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/slow/lab/chapters/queue/strategies.test.ts has the other situations.
describe('a strategy that promises to do each task once', () => {
  test.each(keptByTier.fast)('%s has no fault in the situation %s', (strategy, situation) =>
    expectNoFault(stage, strategy, situation),
  );
});

/**
 * For each strategy without a promise: its situation, its gravest fault there, and the schedule.
 */
const witnesses: Record<string, [situation: string, fault: string, schedule: string]> = {
  'select-then-update': ['calm', 'twice', '1,2,2,2,2,2,2,1,1,1,1,1'],
  'compare-and-set': ['alone', 'stuck', '1,1,1,k1'],
  'update-subselect': ['calm', 'twice', '1,2,1,1,2,2,2,2,1,1'],
  'subselect-checked-again': ['two-tasks', 'idle', '1,2,1,1,1,2,1'],
  'for-update': ['alone', 'stuck', '1,1,k1'],
  'skip-locked': ['alone', 'stuck', '1,1,k1'],
  'delete-on-claim': ['alone', 'lost', '1,1,k1'],
  'held-transaction': ['alone', 'twice', '1,1,k1'],
  lease: ['slow', 'twice', '1,1,1,t,2,2,2,2,2,1,1'],
  'lease-by-attempt': ['slow', 'twice', '1,1,1,t,2,2,2,2,2,1,1'],
  'renewed-lease': ['slow', 'twice', '1,1,1,1,1,t,2,2,2,2,2,2,2,1,1'],
  token: ['alone', 'twice', '1,1,1,k1'],
  'lease-by-name': ['namesakes', 'overwritten', '1,1,1,t,2,2,2,2,2,1,1'],
  'attempts-after-work': ['killer', 'miscounted', '1,1,1,2,2'],
  'attempts-in-transaction': ['killer', 'miscounted', '1,1,1,2,2,2'],
  'advisory-lock': ['calm', 'twice', '1,2,2,2,2,2,1,1,1,1'],
  'advisory-lock-look-again': ['alone', 'twice', '1,1,1,1,k1'],
  mutex: ['crash', 'twice', '1,1,k1'],
  'mutex-in-two-processes': ['calm', 'twice', '1,1,2,2,2,2,1,1'],
  'missed-heartbeat': ['slow', 'overwritten', '1,1,1,t,2,2,1,1'],
  'permit-freed-twice': ['slow', 'exceeded', '1,1,1,1,t,2,2,2,1,1'],
  'rescue-by-node': ['alone', 'stuck', '1,1,k1'],
  'insert-unless-exists': ['calm', 'twice', '1,2,2,1'],
};

/** Plays the known schedule in which this strategy fails. */
async function playWitness(name: string) {
  const [situation = 'no witness', fault = '', schedule = ''] = witnesses[name] ?? [];
  const played = await replay(
    stage,
    queueTrialOf(queueStrategy(name), situation),
    schedule.split(','),
  );
  return { played, situation, fault, schedule, transcript: tell(played).transcript };
}

describe('a strategy without a promise', () => {
  const broken = queueStrategies.filter(({ promise }) => promise === 'nothing');
  test.each(broken.map(({ name }) => name))('the schedule of %s shows its fault', async (name) => {
    const { played, situation, fault, schedule, transcript } = await playWitness(name);
    expect([gravestOf(played.faults), played.schedule.join()]).toEqual([fault, schedule]);
    if (situation === 'killer') expect(transcript).toContain('the worker dies of it');
    expect(/-- the process of S1( and S2)? dies/.test(transcript)).toBe(/k1/.test(schedule));
    expect(transcript).toContain('-- two days pass');
    expect(transcript).toMatch(new RegExp(`: .*\\b${fault}\\b`, 'i'));
  });

  // The check of docs/strategies.md makes sure that the explorer finds these verdicts.
  test.each(broken.map(({ name }) => name))('the schedule of %s is the clearest known', (name) => {
    const [situation = '', fault = '', schedule] = witnesses[name] ?? [];
    const known = knownVerdicts[`queue/${name}`]?.situations[situation];
    expect(gravestOf(Object.keys(known?.faults ?? {}))).toBe(fault);
    expect(known?.clearest[fault]).toBe(schedule);
  });

  test('insert-unless-exists fails in four of six schedules', async () => {
    const { schedules, faults } = await exploreQueue(
      stage,
      queueStrategy('insert-unless-exists'),
      'calm',
    );
    expect([schedules, faults.twice]).toEqual([6, 4]);
  });

  test.each([
    ['update-subselect', 'since its snapshot is of step 2, before the wait'],
    ['insert-unless-exists', 'does not see the insert at step 1: S1 has not committed'],
    ['missed-heartbeat', 'failed 1, claimed null'],
    ['missed-heartbeat', 'task 1: 1 mail, finished 2 times (by S2, then by S1): OVERWRITTEN'],
    ['lease-by-name', 'finished 2 times (by S2, then by S1)'],
    ['lease', '-- two days pass. The lease of W1 on task 1 ends --'],
    ['rescue-by-node', '-- two days pass. Node W1 is not seen any more --'],
    ['subselect-checked-again', 'checked again, as S1 left it, and no longer fits'],
    [
      'subselect-checked-again',
      '(S2 has changed no row, but the row that it checked stays locked until its commit)',
    ],
    ['permit-freed-twice', 'free 2'],
    ['rescue-by-node', 'worker not in (select name from alive)'],
    [
      'rescue-by-node',
      'It has no open transaction. Its commits stay: insert into lab_queue.nodes, update lab_queue.tasks',
    ],
    [
      'attempts-in-transaction',
      'S1 is dead, so PostgreSQL rolls its transaction back: update lab_queue.tasks (step 2) undone',
    ],
    ['attempts-in-transaction', '0 of 3 attempts counted'],
  ])('the transcript of %s says: %s', async (name, words) => {
    const { transcript } = await playWitness(name);
    expect(transcript.replace(/\s+/g, ' ')).toContain(words);
  });

  test.each([
    ['a worker that has finished', '1,1,1,1,1,1', 'task 1 has no lease, and is done'],
    ['a slow worker', '1,1,t,1', 'the time of the lease is over'],
    ['a worker after its successor', '1,1,t,2,2,1', 'W2 has taken the lease'],
  ])('the transcript says why a mail of %s came without a lease', async (who, schedule, why) => {
    const again: QueueStrategy = {
      name: 'again',
      idea: '',
      promise: 'nothing',
      timed: true,
      async work(db, worker) {
        const task = await takeLease(db, worker);
        if (!task) return { kind: 'idle' };
        await worker.send(task.id);
        if (who !== 'a worker that has finished') return { kind: 'done' };
        await finish(db, task.id);
        await worker.send(task.id);
        return { kind: 'done' };
      },
    };
    const played = await replay(stage, queueTrialOf(again, 'slow'), schedule.split(','));
    expect(tell(played).transcript.replace(/\s+/g, ' ')).toContain(
      `from a worker without the lease: ${why}`,
    );
  });

  test.each([
    ['rescue-by-node', 'crash', 'the next worker has another name'],
    ['lease-by-name', 'slow', 'no two workers have the same name'],
  ])('%s has no fault in the situation %s, where %s', async (name, situation) => {
    expect((await exploreQueue(stage, queueStrategy(name), situation)).worst).toBeUndefined();
  });
});

describe('a strategy fails if its code lacks', () => {
  // test/slow/lab/chapters/queue/strategies.test.ts has the lines of the other strategies.
  test.each(linesByTier.fast)('$what', (line) => expectFall(stage, line));

  test.each(['drop-repeats', 'attempts-at-claim', 'production'])('the id of %s', async (name) => {
    const { gravest } = await exploreQueue(stage, withoutProof(queueStrategy(name)), 'alone');
    expect(gravest).toBe('twice');
  });
});
