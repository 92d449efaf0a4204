import { expect, onTestFinished, test } from 'vitest';
import { seededDice } from '../../src/faults/dice.ts';
import { growthOf, judgeGrowth } from '../../src/faults/soak/memory.ts';
import { askOddly } from '../../src/faults/soak/odd-callers.ts';
import { RawClient } from '../../src/faults/soak/raw.ts';
import { makeService } from '../support/app.ts';
import { makeDatabase } from '../support/database.ts';

const REQUESTS = 200_000;

/** A sample after each hundred requests. A garbage collection comes before each tenth sample. */
const samplesOf = (mbAfter: (requests: number) => number) =>
  Array.from({ length: REQUESTS / 100 + 1 }, (_, n) => {
    const saw = 20 * ((n / 10) % 1);
    return { requests: n * 100, mb: mbAfter(n * 100) + saw };
  });

const judged = (mbAfter: (requests: number) => number) =>
  judgeGrowth(growthOf(samplesOf(mbAfter), REQUESTS), REQUESTS);

test('a server that grows in the second half of the run is a finding', () => {
  expect(judged((requests) => 100 + requests / 5_000)).toEqual([
    {
      promise: 'the memory does not grow',
      what: 'the server grew from 127 MB after half of the requests to 147 MB',
    },
  ]);
});

test('a server that grows in the first half only is no finding', () => {
  expect(judged((requests) => Math.min(200, 80 + requests / 500))).toEqual([]);
});

test('the memory is not judged after too few requests', () => {
  expect(judgeGrowth({ halfMb: 100, endMb: 200 }, 99_999)).toEqual([]);
});

test('one seed always draws the same numbers', () => {
  const drawn = (seed: string) => {
    const dice = seededDice(seed);
    return Array.from({ length: 20 }, () => dice.below(1_000));
  };
  expect(drawn('a')).toEqual(drawn('a'));
  expect(drawn('a')).not.toEqual(drawn('b'));
  expect(new Set(drawn('a')).size).toBeGreaterThan(10);
});

test('odd requests get the answers that they expect', async () => {
  const { url } = await makeService(await makeDatabase());
  const client = new RawClient(url);
  onTestFinished(() => client.close());
  const names = new Set<string>();
  const unexpected: string[] = [];
  const expectAnswer = (name: string, to: string, answers: string[]) => {
    names.add(name);
    if (!answers.some((each) => name.startsWith(each))) unexpected.push(`${to}: ${name}`);
  };
  const dice = seededDice('odd');
  for (let n = 0; n < 400; n++) await askOddly(client, dice, expectAnswer);
  expect(unexpected).toEqual([]);
  // The dice choose requests that have these answers now and then.
  for (const name of ['200', '304 no problem document', '413 body-too-large', '422 key-reused'])
    expect([...names]).toContain(name);
});
