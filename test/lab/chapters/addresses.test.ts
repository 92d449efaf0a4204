import { expect, test } from 'vitest';
import {
  addressOf,
  allStrategies,
  findSituation,
  findStrategy,
} from '../../../src/lab/chapters/index.ts';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import { expectOneLineOf } from '../../support/refusal.ts';

const found = (address: string) => {
  const strategy = findStrategy(address);
  return typeof strategy === 'string' ? strategy : addressOf(strategy);
};

test('every strategy is found by its address, and also by its name if no other strategy has this name', () => {
  for (const each of allStrategies) {
    const { name } = each.strategy;
    expect(found(addressOf(each))).toBe(addressOf(each));
    const all = allStrategies.filter(({ strategy }) => strategy.name === name).map(addressOf);
    expect(found(name)).toBe(
      all.length === 1 ? all[0] : `There are ${all.join(' and ')}. Say which one.`,
    );
  }
});

test('if several chapters have a name, a search for the name returns one line with all addresses', () => {
  expect(found('production')).toBe(
    'There are claims/production and queue/production and retries/production and waitlist/production. Say which one.',
  );
});

test('a search within a given chapter finds only strategies of this chapter', () => {
  expect(findStrategy('production', queue)).toMatchObject({ chapter: { name: 'queue' } });
  expect(findStrategy('naive', queue)).toMatch(/^There is no strategy "naive"\. .* of queue are /);
});

test.each([
  [
    'hope',
    /^There is no strategy "hope"\. The strategies of claims are naive, .* The strategies of queue are /,
  ],
  [
    'claims/hope',
    /^There is no strategy "claims\/hope"\. The strategies of claims are naive, [^.]*\.$/,
  ],
  [
    'claims/claims/naive',
    /^There is no strategy "claims\/claims\/naive"\. The strategies of claims are /,
  ],
  [
    'clams/naive',
    /^There is no chapter "clams"\. The chapters are claims, queue, retries, waitlist\.$/,
  ],
  ['a\n"b', /^There is no strategy "a\\n\\"b"\. /],
  ['x'.repeat(1_000), /^There is no strategy "x{60}…"\. /],
  ['', /^There is no strategy ""\. The strategies of claims are naive, /],
])('a search for the wrong address %j returns a list of known names', (address, words) => {
  expect(found(address)).toMatch(words);
});

test('a search for an unknown situation returns a line that lists the situations of the strategy', () => {
  const naive = findStrategy('naive');
  if (typeof naive === 'string') throw new Error(naive);
  expect(findSituation(naive, 'war')).toMatch(/^There is no situation "war"\..* are last-slot, /);
  expect(findSituation(naive, undefined)).toMatchObject({ name: 'last-slot' });
});

// test/slow/lab/chapters/addresses.test.ts has more commands.
test.each([[['scripts/replay.ts', 'clams/naive', '1'], /^There is no chapter "clams"/]])(
  'the command %j prints one line with the mistake, and exits with code 2',
  expectOneLineOf,
);
