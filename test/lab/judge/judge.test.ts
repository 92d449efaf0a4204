import { expect, test } from 'vitest';
import { queue } from '../../../src/lab/chapters/queue/index.ts';
import { alone } from '../../../src/lab/chapters/queue/situations.ts';
import { type Check, judge } from '../../../src/lab/judge/judge.ts';
import { makeStage } from '../../support/stage.ts';

const chapter = { ...queue, situationsOf: () => [alone] as const };
const crowd = async () => ({ holds: true, fault: 'twice' }) as Check;

test.each([
  ['not by default, and says so', {}, false],
  ['not with counts: false', { counts: false }, false],
  ['with counts: true', { counts: true }, true],
])('the judge checks the count of attempts: %s', async (_, options, isChecked) => {
  const exported = { ...options, work: async () => ({ kind: 'idle' }) };
  const strategy = queue.strategyOf(exported, 'mine', () => exported);
  if (!strategy) throw new Error('no strategy');
  const onStep = () => undefined;
  const explain = () => undefined;
  const judged = { chapter, strategy };
  const { checks, unchecked } = await judge([await makeStage()], judged, {
    onStep,
    explain,
    crowd,
  });
  expect(checks.some(({ fault }) => fault === 'miscounted')).toBe(isChecked);
  const advice = 'every attempt is counted (counts: true in the strategy asks for this check)';
  expect(unchecked).toEqual(isChecked ? [] : [advice]);
});
