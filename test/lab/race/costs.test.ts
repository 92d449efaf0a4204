import { expect, test } from 'vitest';
import { costsOf, describeCosts } from '../../../src/lab/race/costs.ts';

test('the time is the median of the rounds, and the transactions are the mean of the requests', () => {
  const rounds = [30, 10, 500].map((milliseconds) => ({
    ...{ requests: 4, transactions: 6, milliseconds },
  }));
  const costs = costsOf('mine', rounds);
  expect(costs).toEqual({ strategy: 'mine', milliseconds: 30, transactions: 1.5 });
  expect(describeCosts([costs])).toMatch(/^mine +30 +1\.50$/m);
});

test('a server that does not count transactions has unknown costs', () => {
  const costs = costsOf('mine', [{ requests: 4, transactions: undefined, milliseconds: 7 }]);
  expect(costs.transactions).toBeUndefined();
  expect(describeCosts([costs])).toMatch(/^mine +7 +unknown$/m);
});
