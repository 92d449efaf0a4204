import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pauseBeforeNext } from '../../../src/service/queue/rules.ts';

const failures = fc.record({
  number: fc.integer({ min: 1, max: 100 }),
  attemptsLeft: fc.integer({ min: 0, max: 100 }),
  final: fc.boolean(),
  pauseMs: fc.option(fc.integer({ min: -10, max: 1e9 }), { nil: undefined }),
});
const kind = { pauseMs: ({ number }: { number: number }) => number * 1_000 };

test('another attempt follows only if attempts are left and the failure is not final', () => {
  fc.assert(
    fc.property(failures, (failure) => {
      const follows = pauseBeforeNext(failure, failure, kind) !== undefined;
      expect(follows).toBe(failure.attemptsLeft > 0 && !failure.final);
    }),
  );
});

test('the pause of the outcome replaces the pause of the kind, and no pause is negative', () => {
  fc.assert(
    fc.property(failures, (each) => {
      const failure = { ...each, attemptsLeft: 1, final: false };
      const expected = Math.max(0, failure.pauseMs ?? failure.number * 1_000);
      expect(pauseBeforeNext(failure, failure, kind)).toBe(expected);
    }),
  );
});
