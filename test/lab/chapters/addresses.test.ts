import { expect, test } from 'vitest';
import {
  addressOf,
  allStrategies,
  findSituation,
  findStrategy,
} from '../../../src/lab/chapters/index.ts';
import { run } from '../../support/command.ts';

const found = (address: string) => {
  const strategy = findStrategy(address);
  return typeof strategy === 'string' ? strategy : addressOf(strategy);
};

test('every strategy is found by its address, and by its name alone', () => {
  for (const each of allStrategies) {
    expect(found(addressOf(each))).toBe(addressOf(each));
    expect(found(each.strategy.name)).toBe(addressOf(each));
  }
});

test.each([
  ['hope', /^There is no strategy "hope"\. The strategies are claims\/naive, /],
  ['claims/hope', /^There is no strategy "claims\/hope"\. The strategies are claims\/naive, /],
  [
    'claims/claims/naive',
    /^There is no strategy "claims\/claims\/naive"\. The strategies are claims/,
  ],
  ['clams/naive', /^There is no chapter "clams"\. The chapters are claims\.$/],
  ['a\n"b', /^There is no strategy "a\\n\\"b"\. /],
  ['x'.repeat(1_000), /^There is no strategy "x{60}…"\. /],
  ['', /^There is no strategy ""\. The strategies are claims\/naive, /],
])('the address %j is answered by a line that lists what there is', (address, words) => {
  expect(found(address)).toMatch(words);
});

test('an unknown situation is answered by a line that lists the situations of the strategy', () => {
  const naive = findStrategy('naive');
  if (typeof naive === 'string') throw new Error(naive);
  expect(findSituation(naive, 'war')).toMatch(/^There is no situation "war"\..* are last-slot, /);
  expect(findSituation(naive, undefined)).toMatchObject({ name: 'last-slot' });
});

test.concurrent.each([
  [['scripts/replay.ts', 'clams/naive', '1'], /^There is no chapter "clams"/],
  [['scripts/replay.ts', 'naive', '1', '--situation', 'war'], /^There is no situation "war"/],
  [
    ['scripts/explore.ts', '--strategy', 'all', '--strategy', 'hope'],
    /^There is no strategy "hope"/,
  ],
  [['scripts/explore.ts', '--strategy', 'naive', '--situation', 'freed'], /^There is no situation/],
  [['scripts/explore.ts', '--strategy', 'hope'], /^There is no strategy "hope"/],
  [['scripts/judge.ts', 'mine.ts', '--chapter', 'clams'], /^There is no chapter "clams"/],
])('%j is refused in one line with exit code 2', async ([script = '', ...args], words) => {
  const { ended, stderr } = run(script, args);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
});
