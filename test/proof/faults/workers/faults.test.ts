import { expect, test } from 'vitest';
import { seededDice } from '../../../../proof/faults/dice.ts';
import { planOf, workerFaults } from '../../../../proof/faults/workers/faults.ts';

const countsOf = (tasks: number) => {
  const plan = planOf(tasks, seededDice('plan'));
  return Object.fromEntries(
    workerFaults.map((fault) => [fault, plan.filter((each) => each === fault).length]),
  );
};

test('a run with 20,000 tasks has 200 kills, 200 ended sessions, 20 freezes, five crashes', () => {
  expect(countsOf(20_000)).toEqual({
    kill: 200,
    terminate: 200,
    freeze: 20,
    stall: 20,
    lock: 5,
    crash: 5,
  });
});

test('a run with few tasks has every kind of fault once', () => {
  expect(countsOf(100)).toEqual({ kill: 1, terminate: 1, freeze: 1, stall: 1, lock: 1, crash: 1 });
});

test('the faults come in random order', () => {
  expect(planOf(20_000, seededDice('one'))).not.toEqual(planOf(20_000, seededDice('two')));
});
