import { expect, test } from 'vitest';
import { seededDice } from '../../../proof/faults/dice.ts';
import { growthOf, judgeGrowth } from '../../../proof/faults/soak/memory.ts';

const REQUESTS = 200_000;

/** Makes a sample after each 100 requests. A garbage collection comes before each tenth sample. */
const samplesOf = (mbAfter: (requests: number) => number) =>
  Array.from({ length: REQUESTS / 100 + 1 }, (_, n) => {
    const saw = 20 * ((n / 10) % 1);
    return { requests: n * 100, mb: mbAfter(n * 100) + saw };
  });

const judged = (mbAfter: (requests: number) => number) =>
  judgeGrowth(growthOf(samplesOf(mbAfter), REQUESTS), REQUESTS);

test('it is a finding if a server grows in the second half of the run', () => {
  expect(judged((requests) => 100 + requests / 5_000)).toEqual([
    {
      promise: 'the memory does not grow',
      what: 'the server grew from 127 MB after half of the requests to 147 MB',
    },
  ]);
});

test('it is no finding if a server grows only in the first half of the run', () => {
  expect(judged((requests) => Math.min(200, 80 + requests / 500))).toEqual([]);
});

test('the memory is not judged after too few requests', () => {
  expect(judgeGrowth({ halfMb: 100, endMb: 200 }, 99_999)).toEqual([]);
});

// test/slow/proof/faults/soak.test.ts sends odd requests to a service.
test('dice with the same seed always draw the same numbers', () => {
  const drawn = (seed: string) => {
    const dice = seededDice(seed);
    return Array.from({ length: 20 }, () => dice.below(1_000));
  };
  expect(drawn('a')).toEqual(drawn('a'));
  expect(drawn('a')).not.toEqual(drawn('b'));
  expect(new Set(drawn('a')).size).toBeGreaterThan(10);
});
