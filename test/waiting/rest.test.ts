import { expect, test } from 'vitest';
import { restAfter } from '../../src/waiting/rest.ts';

test('a loop works for a tenth of its time, and rests for at most a second', () => {
  expect([0, 2, 100].map(restAfter)).toEqual([0, 18, 900]);
  expect(restAfter(60_000)).toBe(1_000);
});
