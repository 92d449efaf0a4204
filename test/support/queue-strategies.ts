import { expect } from 'vitest';
import { counterexampleOf, explore, hasAny } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import { faults } from '../../src/lab/chapters/queue/faults.ts';
import { situationsOf } from '../../src/lab/chapters/queue/situations.ts';
import { strategies } from '../../src/lab/chapters/queue/strategies/index.ts';
import type { QueueStrategy } from '../../src/lab/chapters/queue/strategy.ts';
import { queueTrial } from '../../src/lab/chapters/queue/trial.ts';
import { stageWithout } from './stage.ts';

/** The strategies without a store. Strategies that need a store have separate tests. */
export const queueStrategies = strategies.filter(({ needs }) => needs === undefined);

export const queueStrategy = (name: string): QueueStrategy => {
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`there is no strategy ${name}`);
  return strategy;
};

/**
 * The number of schedules to play. Schedules with fewer switches come first, so few schedules show
 * the faults. Each missing line is found within 23 schedules. The check of docs/strategies.md plays
 * all schedules.
 */
const FEW = 25;

export const queueTrialOf = (strategy: QueueStrategy, name: string) => {
  const situation = situationsOf(strategy).find((each) => each.name === name);
  if (!situation) throw new Error(`${strategy.name} is not tried in the situation ${name}`);
  return queueTrial(strategy, situation, 2);
};

export async function exploreQueue(
  stage: Stage,
  strategy: QueueStrategy,
  situation: string,
  until: string[] = [],
) {
  const options = { most: FEW, endsAfter: hasAny(until) };
  const found = await explore(stage, queueTrialOf(strategy, situation), options);
  const worst = counterexampleOf(found, faults);
  return { ...found, worst, gravest: worst && gravestOf(worst.faults) };
}

export const gravestOf = (found: string[]) => faults.find(({ name }) => found.includes(name))?.name;

/** The situations that only repeat other situations with more tasks or faults. */
const LARGE = ['two-tasks', 'crash-and-slow', 'namesakes'];

const kept = queueStrategies
  .filter(({ promise }) => promise === 'once')
  .flatMap((strategy) =>
    situationsOf(strategy)
      .filter(({ name }) => !LARGE.includes(name))
      .map(({ name }): [strategy: string, situation: string] => [strategy.name, name]),
  );

/**
 * Returns whether the fast tests try this pair: production, or another strategy in one situation.
 */
const isFast = ([strategy, situation]: (typeof kept)[number]) =>
  strategy === 'production' || situation === 'alone';

/** The strategies that promise to do each task once, with their situations. */
export const keptByTier = {
  fast: kept.filter(isFast),
  slow: kept.filter((each) => !isFast(each)),
};

export async function expectNoFault(stage: Stage, strategy: string, situation: string) {
  const { worst } = await exploreQueue(stage, queueStrategy(strategy), situation);
  expect(worst && tell(worst).transcript).toBeUndefined();
}

/** Returns the strategy, but its receiver cannot recognize repeated messages. */
export const withoutProof = (strategy: QueueStrategy): QueueStrategy => ({
  ...strategy,
  work: (db, worker) => strategy.work(db, { ...worker, send: (id) => worker.send(id) }),
});

interface Line {
  what: string;
  of: QueueStrategy;
  /** The part of the SQL that is removed. `instead` takes its place. */
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
    of: queueStrategy('outbox'),
    part: SKIP_LOCKED,
    instead: '',
    situation: 'calm',
    fault: 'twice',
  },
  {
    what: 'the fence of drop-repeats',
    of: queueStrategy('drop-repeats'),
    part: ATTEMPT,
    instead: '$1::int is not null',
    situation: 'slow',
    fault: 'overwritten',
  },
  {
    what: 'the end of the lease of drop-repeats',
    of: queueStrategy('drop-repeats'),
    part: LEASE_END,
    instead: never,
    situation: 'alone',
    fault: 'stuck',
  },
  {
    what: 'the fence of lease-and-outbox',
    of: queueStrategy('lease-and-outbox'),
    part: ATTEMPT,
    instead: '$1::int is not null',
    situation: 'slow',
    fault: 'twice',
  },
  {
    what: 'the end of the lease of lease-and-outbox',
    of: queueStrategy('lease-and-outbox'),
    part: LEASE_END,
    instead: never,
    situation: 'alone',
    fault: 'stuck',
  },
  {
    what: 'the count of attempts-at-claim',
    of: queueStrategy('attempts-at-claim'),
    part: /attempt \+ 1/,
    instead: 'attempt',
    situation: 'killer',
    fault: 'miscounted',
  },
  {
    what: 'the fence of attempts-at-claim',
    of: queueStrategy('attempts-at-claim'),
    part: ATTEMPT,
    instead: '$1::int is not null',
    situation: 'slow',
    fault: 'overwritten',
  },
  {
    what: 'the fence of production',
    of: queueStrategy('production'),
    part: /and "tasks"."attempt" = .* is not null/s,
    instead: '',
    situation: 'slow',
    fault: 'overwritten',
  },
  {
    what: 'the end of the lease of production',
    of: queueStrategy('production'),
    part: /lease_until <= statement_timestamp\(\)/,
    instead: never,
    situation: 'alone',
    fault: 'stuck',
  },
  {
    what: 'the lock of production, if nobody drops repeats',
    of: withoutProof(queueStrategy('production')),
    part: SKIP_LOCKED,
    instead: '',
    situation: 'calm',
    fault: 'twice',
  },
];

const isOfProduction = ({ of }: Line) => of.name === 'production';

/**
 * The fast tests remove lines from production. The slow tests remove lines from other strategies.
 */
export const linesByTier = {
  fast: lines.filter(isOfProduction),
  slow: lines.filter((line) => !isOfProduction(line)),
};

/**
 * Asserts that the strategy has the fault without the line. With the line, the first schedules have
 * no fault.
 */
export async function expectFall(stage: Stage, line: Line) {
  const { of, part, instead, situation, fault } = line;
  const changed = await stageWithout(part, instead);
  const found = await exploreQueue(changed, of, situation, [fault]);
  expect([found.gravest, found.faults.error]).toEqual([fault, undefined]);
  // Other tests show that the strategies of the chapter have no fault with the line.
  if (strategies.includes(of)) return;
  expect((await exploreQueue(stage, of, situation)).gravest).toBeUndefined();
}
