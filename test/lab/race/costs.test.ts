import { expect, test } from 'vitest';
import { costsOf, describeCosts } from '../../../src/lab/race/costs.ts';

test('costs have the median time of the rounds, and the mean number of transactions per request', () => {
  const rounds = [30, 10, 500].map((milliseconds) => ({
    ...{ requests: 4, transactions: 6, milliseconds },
  }));
  const costs = costsOf('mine', rounds);
  expect(costs).toEqual({ strategy: 'mine', milliseconds: 30, transactions: 1.5 });
  expect(describeCosts([costs])).toMatch(/^mine +30 +1\.50$/m);
});

test('if the server does not count transactions, their number is shown as unknown', () => {
  const costs = costsOf('mine', [{ requests: 4, transactions: undefined, milliseconds: 7 }]);
  expect(costs.transactions).toBeUndefined();
  expect(describeCosts([costs])).toMatch(/^mine +7 +unknown$/m);
});
