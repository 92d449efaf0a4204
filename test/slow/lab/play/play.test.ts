import { expect, test } from 'vitest';
import type { ClaimStrategy } from '../../../../src/lab/chapters/claims/strategy.ts';
import { play } from '../../../../src/lab/play/play.ts';
import { addressed, situationNamed, strategyNamed } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';

test('a strategy that never ends has the verdict hang within seconds', async () => {
  const stage = await makeStage();
  const asked = { ...addressed('naive'), situation: situationNamed('last-slot'), sessions: 2 };
  const claim: ClaimStrategy['claim'] = () => new Promise(() => undefined);
  const strategy = { ...strategyNamed('naive'), name: 'hangs', claim };
  expect(await play(stage, { ...asked, strategy, schedule: ['1', '2'] })).toMatchObject({
    isOver: true,
    choices: [],
    verdict: 'hang: S1 and S2 never ended',
  });
  expect(await play(stage, { ...asked, schedule: ['1'] })).toMatchObject({ choices: ['1', '2'] });
});
