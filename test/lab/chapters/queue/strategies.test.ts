import { beforeAll, describe, expect, test } from 'vitest';
import { faults } from '../../../../src/lab/chapters/queue/faults.ts';
import { situationsOf } from '../../../../src/lab/chapters/queue/situations.ts';
import { strategies } from '../../../../src/lab/chapters/queue/strategies/index.ts';
import type { QueueStrategy } from '../../../../src/lab/chapters/queue/strategy.ts';
import { queueTrial } from '../../../../src/lab/chapters/queue/trial.ts';
import { counterexampleOf, explore, replay } from '../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import { knownVerdicts } from '../../../../src/lab/syllabus/known-verdicts.ts';
import { makeStage, stageWithout } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** Strategies that need a store have a test of their own. */
const inPostgres = strategies.filter(({ needs }) => needs === undefined);

const named = (name: string): QueueStrategy => {
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`there is no strategy ${name}`);
  return strategy;
};

/**
 * Schedules with fewer switches come first, so already these show the faults. A missing line is found
 * in 23 schedules at the latest. The check of docs/strategies.md plays the others.
 */
const FEW = 25;

const trialOf = (strategy: QueueStrategy, name: string) => {
  const situation = situationsOf(strategy).find((each) => each.name === name);
  if (!situation) throw new Error(`${strategy.name} is not tried in the situation ${name}`);
  return queueTrial(strategy, situation, 2);
};

async function exploreIt(strategy: QueueStrategy, name: string, on = stage, until: string[] = []) {
  const found = await explore(on, trialOf(strategy, name), { most: FEW, until });
  const worst = counterexampleOf(found, faults);
  return { ...found, worst, gravest: worst && gravestOf(worst.faults) };
}

const gravestOf = (found: string[]) => faults.find(({ name }) => found.includes(name))?.name;

/** The situations with more of the same. */
const LARGE = ['two-tasks', 'crash-and-slow', 'namesakes'];

describe('a strategy that promises to do each task once', () => {
  const keepers = inPostgres.filter(({ promise }) => promise === 'once');
  const tried = keepers.flatMap((strategy) =>
    situationsOf(strategy)
      .filter(({ name }) => !LARGE.includes(name))
      .map(({ name }) => [strategy.name, name]),
  );
  test.each(tried)('%s has no fault in the situation %s', async (name, situation) => {
    const { worst } = await exploreIt(named(name as string), situation as string);
    expect(worst && tell(worst).transcript).toBeUndefined();
  });
});

/** For each strategy without a promise: its situation, its gravest fault there, and the schedule. */
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

/** Plays the schedule of a witness. */
async function playWitness(name: string) {
  const [situation = 'no witness', fault = '', schedule = ''] = witnesses[name] ?? [];
  const played = await replay(stage, trialOf(named(name), situation), schedule.split(','));
  return { played, situation, fault, schedule, transcript: tell(played).transcript };
}

describe('a strategy without a promise', () => {
  const broken = inPostgres.filter(({ promise }) => promise === 'nothing');
  test.each(broken.map(({ name }) => name))('%s is caught', async (name) => {
    const { played, situation, fault, schedule, transcript } = await playWitness(name);
    expect([gravestOf(played.faults), played.schedule.join()]).toEqual([fault, schedule]);
    if (situation === 'killer') expect(transcript).toContain('the worker dies of it');
    expect(/-- the process of S1( and S2)? dies/.test(transcript)).toBe(/k1/.test(schedule));
    expect(transcript.includes('-- time passes --')).toBe(true);
    expect(transcript).toMatch(new RegExp(`: .*\\b${fault}\\b`, 'i'));
  });

  // The check of docs/strategies.md holds that the explorer finds these verdicts.
  test.each(broken.map(({ name }) => name))('%s has its clearest witness here', (name) => {
    const [situation = '', fault = '', schedule] = witnesses[name] ?? [];
    const known = knownVerdicts[`queue/${name}`]?.situations[situation];
    expect(gravestOf(Object.keys(known?.faults ?? {}))).toBe(fault);
    expect(known?.clearest[fault]).toBe(schedule);
  });

  test('insert-unless-exists fails in four of six schedules', async () => {
    const { schedules, faults } = await exploreIt(named('insert-unless-exists'), 'calm');
    expect([schedules, faults.twice]).toEqual([6, 4]);
  });

  test.each([
    ['update-subselect', 'since its snapshot is of step 2, before the wait'],
    ['insert-unless-exists', 'does not see the insert at step 1: S1 has not committed'],
    ['missed-heartbeat', 'failed 1, claimed null'],
    ['missed-heartbeat', 'task 1: 1 mail, finished 2 times'],
    ['permit-freed-twice', 'free 2'],
    ['rescue-by-node', 'worker not in (select name from alive)'],
    [
      'rescue-by-node',
      'It has no open transaction. Its commits stay: insert into lab_queue.nodes, update lab_queue.tasks',
    ],
    ['attempts-in-transaction', 'PostgreSQL rolls back: update lab_queue.tasks undone. S1 is dead'],
    ['attempts-in-transaction', '0 of 3 attempts counted'],
  ])('the transcript of %s says: %s', async (name, words) => {
    const { transcript } = await playWitness(name);
    expect(transcript.replace(/\s+/g, ' ')).toContain(words);
  });

  test.each([
    ['rescue-by-node', 'crash', 'the next worker has another name'],
    ['lease-by-name', 'slow', 'no two workers have the same name'],
  ])('%s has no fault in %s, where %s', async (name, situation) => {
    expect((await exploreIt(named(name), situation)).worst).toBeUndefined();
  });
});

/** The strategy with mails that the receiver cannot recognize. */
const withoutProof = (strategy: QueueStrategy): QueueStrategy => ({
  ...strategy,
  work: (db, worker) => strategy.work(db, { ...worker, send: (id) => worker.send(id) }),
});

interface Line {
  what: string;
  of: QueueStrategy;
  /** The part of the SQL that is taken out, and the part that takes its place. */
  part: RegExp;
  instead: string;
  situation: string;
  fault: string;
}

const SKIP_LOCKED = /for update skip locked/i;
const ATTEMPT = /\S*"attempt" = (\$\d+)/;
const LEASE_END = /\S*"lease_until" < now\(\)/;
const never = 'false';

const lines: Line[] = [
  {
    what: 'the lock of outbox',
    of: named('outbox'),
    part: SKIP_LOCKED,
    instead: '',
    situation: 'calm',
    fault: 'twice',
  },
  {
    what: 'the fence of drop-repeats',
    of: named('drop-repeats'),
    part: ATTEMPT,
    instead: '$1::int is not null',
    situation: 'slow',
    fault: 'overwritten',
  },
  {
    what: 'the end of the lease of drop-repeats',
    of: named('drop-repeats'),
    part: LEASE_END,
    instead: never,
    situation: 'alone',
    fault: 'stuck',
  },
  {
    what: 'the fence of lease-and-outbox',
    of: named('lease-and-outbox'),
    part: ATTEMPT,
    instead: '$1::int is not null',
    situation: 'slow',
    fault: 'twice',
  },
  {
    what: 'the end of the lease of lease-and-outbox',
    of: named('lease-and-outbox'),
    part: LEASE_END,
    instead: never,
    situation: 'alone',
    fault: 'stuck',
  },
  {
    what: 'the count of attempts-at-claim',
    of: named('attempts-at-claim'),
    part: /attempt \+ 1/,
    instead: 'attempt',
    situation: 'killer',
    fault: 'miscounted',
  },
  {
    what: 'the fence of attempts-at-claim',
    of: named('attempts-at-claim'),
    part: ATTEMPT,
    instead: '$1::int is not null',
    situation: 'slow',
    fault: 'overwritten',
  },
  {
    what: 'the fence of production',
    of: named('production'),
    part: /and "tasks"."attempt" = .* is not null/s,
    instead: '',
    situation: 'slow',
    fault: 'overwritten',
  },
  {
    what: 'the end of the lease of production',
    of: named('production'),
    part: /lease_until <= statement_timestamp\(\)/,
    instead: never,
    situation: 'alone',
    fault: 'stuck',
  },
  {
    what: 'the lock of production, if nobody drops repeats',
    of: withoutProof(named('production')),
    part: SKIP_LOCKED,
    instead: '',
    situation: 'calm',
    fault: 'twice',
  },
];

describe('without a line of its own, a strategy fails:', () => {
  test.each(lines)('$what', async ({ of, part, instead, situation, fault }) => {
    // The tests above hold that a strategy of the chapter has no fault there.
    if (!strategies.includes(of)) expect((await exploreIt(of, situation)).gravest).toBeUndefined();
    const found = await exploreIt(of, situation, await stageWithout(part, instead), [fault]);
    expect([found.gravest, found.faults.error]).toEqual([fault, undefined]);
  });

  test.each(['drop-repeats', 'attempts-at-claim', 'production'])('the id of %s', async (name) => {
    const { gravest } = await exploreIt(withoutProof(named(name)), 'alone');
    expect(gravest).toBe('twice');
  });
});
