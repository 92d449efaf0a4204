import { beforeAll, describe, expect, test } from 'vitest';
import { explore, hasAny, replay } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { faults, promises } from '../../../../src/lab/chapters/retries/faults.ts';
import { situationsOf } from '../../../../src/lab/chapters/retries/situations.ts';
import { strategies } from '../../../../src/lab/chapters/retries/strategies/index.ts';
import type { RetryStrategy } from '../../../../src/lab/chapters/retries/strategy.ts';
import { retryTrial } from '../../../../src/lab/chapters/retries/trial.ts';
import {
  charge,
  lock,
  look,
  made,
  store,
  whole,
  withoutTransactions,
} from '../../../support/retries.ts';
import { makeStage, stageWithout } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

/** Strategies that need another store have separate tests. */
const inPostgres = strategies.filter(({ needs }) => needs === undefined);

const trialOf = (strategy: RetryStrategy, situationName: string) => {
  const situation = situationsOf(strategy).find(({ name }) => name === situationName);
  if (!situation) throw new Error(`${strategy.name} is not tried in ${situationName}`);
  return retryTrial(strategy, situation, 2);
};

/** Returns the faults from all schedules of one situation. */
async function faultsOf(strategy: RetryStrategy, situation: string): Promise<string[]> {
  const { faults, isComplete } = await explore(stage, trialOf(strategy, situation));
  return isComplete ? Object.keys(faults) : ['incomplete'];
}

// Campaigns try the other situations. They play every schedule of production. The check of
// docs/strategies.md plays the other strategies.
describe('a strategy that promises to do each request once', () => {
  const keepers = inPostgres.filter(({ promise }) => promise === 'once');

  test.each(keepers)('$name has no fault in the situation alone', async (strategy) => {
    expect(await faultsOf(strategy, 'alone')).toEqual([]);
  });
});

/** The schedules of the counterexamples in the comments of the strategies. */
const witnesses = [
  { name: 'none', situation: 'alone', schedule: '1,k1', fault: 'twice' },
  { name: 'map', situation: 'two-at-once', schedule: '1,2', fault: 'twice' },
  { name: 'map', situation: 'alone', schedule: '1,1,1,d1', fault: 'twice' },
  { name: 'promise-map', situation: 'alone', schedule: '1,1,k1', fault: 'twice' },
  { name: 'check-then-act', situation: 'two-at-once', schedule: '1,2', fault: 'twice' },
  { name: 'insert-first', situation: 'alone', schedule: '1,1,k1', fault: 'zombie' },
  { name: 'insert-first', situation: 'alone', schedule: '1,1,k1', fault: 'untrue' },
  { name: 'work-first', situation: 'alone', schedule: '1,1,k1', fault: 'twice' },
  { name: 'charge-in-transaction', situation: 'alone', schedule: '1,1,k1', fault: 'twice' },
  { name: 'status', situation: 'alone', schedule: '1,1,1,k1', fault: 'twice' },
  { name: 'status-conflict', situation: 'alone', schedule: '1,1,k1', fault: 'stuck' },
  { name: 'delete-on-failure', situation: 'alone', schedule: '1,1,l1', fault: 'twice' },
  { name: 'lease', situation: 'alone', schedule: '1,1,1,k1', fault: 'twice' },
  {
    name: 'advisory-lock-repeatable-read',
    situation: 'two-at-once',
    schedule: '1,2',
    fault: 'error',
  },
  { name: 'provider-key-for-a-day', situation: 'alone', schedule: '1,k1', fault: 'twice' },
];

describe('a strategy that promises nothing', () => {
  test('has a counterexample in this file', () => {
    const fallen = inPostgres.filter(({ promise }) => promise === 'nothing');
    expect([...new Set(witnesses.map(({ name }) => name))]).toEqual(fallen.map(({ name }) => name));
  });

  test.each(witnesses)('$name shows $fault in $situation after $schedule', async (witness) => {
    const strategy = strategies.find(({ name }) => name === witness.name) as RetryStrategy;
    const trial = trialOf(strategy, witness.situation);
    const played = await replay(stage, trial, witness.schedule.split(','));
    expect(played.faults, tell(played).transcript).toContain(witness.fault);
    const { faults } = await explore(stage, trial, { endsAfter: hasAny([witness.fault]) });
    expect(faults).toHaveProperty(witness.fault);
  });
});

/** Returns the transcript in one line. */
async function wordsOf(name: string, situation: string, schedule: string) {
  const strategy = strategies.find((each) => each.name === name) as RetryStrategy;
  const played = await replay(stage, trialOf(strategy, situation), schedule.split(','));
  return tell(played).transcript.replace(/\s+/g, ' ');
}

test.each([
  ['none', 'alone', '1,k1', 'the client has heard nothing, and asks again, 2 days later'],
  ['none', 'alone', '1,k1', 'heard: nothing, since the server died; then done, receipt 2'],
  ['none', 'alone', '1,.1', 'the client asks again, 2 days later, to compare'],
  ['none', 'alone', '1,d1', 'heard: done, receipt 1; then done, receipt 2: TWICE'],
  ['none', 'alone', 'l1', 'heard: error; then done, receipt 2'],
  ['status', 'crash', '1,1,1,1,1,2,2,k2', 'the client asks again, 2 days later, to compare'],
  ['lease', 'slow', '1,1,t', '-- two days pass. The lease of key k ends --'],
  ['provider-key-for-a-day', 'alone', '1,k1', 'days pass. The provider forgets key k --'],
])('the transcript of %s in %s after %s says: %s', async (name, situation, schedule, words) => {
  expect(await wordsOf(name, situation, schedule)).toContain(words);
});

test('no two strategies have the same name, and each promise is broken by known faults', () => {
  const names = strategies.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { brokenBy } of Object.values(promises))
    for (const fault of brokenBy) expect(faults).toContain(fault);
});

/** The parts of production's SQL. Each test takes one part out. */
const guards = [
  {
    what: 'the lock of the key',
    part: /pg_advisory_xact_lock\(.*?, 0\)\)/,
    instead: '1',
    situation: 'slow',
    fault: 'error',
  },
  {
    what: 'the long life of the key',
    part: /make_interval\(hours => hours\)/,
    instead: 'make_interval(hours => 24)',
    situation: 'alone',
    fault: 'twice',
  },
];

describe('production', () => {
  const production = strategies.find(({ name }) => name === 'production') as RetryStrategy;

  test.each(guards)('fails without $what', async ({ part, instead, situation, fault }) => {
    const trial = () => trialOf(production, situation);
    const changed = await stageWithout(part, instead);
    const { faults } = await explore(changed, trial(), { endsAfter: hasAny([fault]) });
    expect(Object.keys(faults)).toContain(fault);
    // With this part, 40 schedules have no fault. The check of docs/strategies.md plays the others.
    expect((await explore(stage, trial(), { most: 40 })).faults).toEqual({});
  });

  test('charges twice without its transaction', async () => {
    const { faults } = await explore(stage, trialOf(withoutTransactions(production), 'alone'));
    expect(faults).toHaveProperty('twice');
  });
});

describe("production's transaction", () => {
  // test/slow/lab/chapters/retries/strategies.test.ts plays the schedules that the judge plays, in
  // all situations.
  test.each(['alone', 'two-at-once'])(
    'has no fault in the situation %s if we build it from its parts',
    async (name) => {
      expect((await explore(stage, trialOf(whole, name), { most: 40 })).faults).toEqual({});
    },
  );

  test('charges twice if it stores the answer in a second transaction', async () => {
    const apart = made(async (db) => {
      const first = await db.transaction(async (tx) => {
        await lock(tx);
        return (await look(tx)) ?? (await charge(tx));
      });
      if (typeof first !== 'number') return first;
      return db.transaction((tx) => store(tx, first));
    });
    // S1 charges and commits, and dies before it stores its answer.
    const played = await replay(stage, trialOf(apart, 'alone'), ['1', '1', '1', '1', 'k1']);
    expect(played.faults).toContain('twice');
  });

  test('charges twice if the lock ends before the work', async () => {
    const apart = made(async (db) => {
      const known = await db.transaction(async (tx) => {
        await lock(tx);
        return look(tx);
      });
      if (known) return known;
      const receipt = await charge(db);
      return db.transaction((tx) => store(tx, receipt));
    });
    // S1 reads the key and commits. Then S2 reads the key, on another server.
    const played = await replay(stage, trialOf(apart, 'slow'), ['1', '1', '1', '2', '2', '2']);
    expect(played.faults).toContain('twice');
  });

  test('ends in an error if two requests come without the lock', async () => {
    const unlocked = made((db) =>
      db.transaction(async (tx) => (await look(tx)) ?? store(tx, await charge(tx))),
    );
    expect(await faultsOf(unlocked, 'two-at-once')).toEqual(['error']);
  });

  test('charges twice if the charge is outside the database', async () => {
    const outside = made((db, _, server) =>
      db.transaction(async (tx) => {
        await lock(tx);
        return (await look(tx)) ?? store(tx, await server.charge());
      }),
    );
    expect(await faultsOf(outside, 'alone')).toEqual(['twice']);
  });

  test('charges twice if the key ends before the client asks again', async () => {
    const short = made((db) =>
      db.transaction(async (tx) => {
        await lock(tx);
        return (await look(tx)) ?? store(tx, await charge(tx), { hours: 24 });
      }),
    );
    expect(await faultsOf(short, 'alone')).toContain('twice');
  });
});
