import { beforeAll, describe, expect, test } from 'vitest';
import { explore, replay } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { situationsOf } from '../../../../src/lab/chapters/retries/situations.ts';
import { setNx, setNxAnswer } from '../../../../src/lab/chapters/retries/strategies/set-nx.ts';
import type { RetryStrategy } from '../../../../src/lab/chapters/retries/strategy.ts';
import { retryTrial } from '../../../../src/lab/chapters/retries/trial.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

function trialOf(strategy: RetryStrategy, name: string) {
  const situation = situationsOf(strategy).find((each) => each.name === name);
  if (!situation) throw new Error(`${strategy.name} is not tried in ${name}`);
  return retryTrial(strategy, situation, 2);
}

const count = async (strategy: RetryStrategy, name: string) => {
  const { schedules, faults } = await explore(stage, trialOf(strategy, name));
  return { schedules, ...faults };
};

describe('SET NX with a TTL', { tags: ['redis'] }, () => {
  test('may charge twice, but loses no request, if the repeat comes after the TTL', async () => {
    expect(await count(setNx, 'alone')).toEqual({ schedules: 10, twice: 6, differing: 10 });
    expect(await count(setNxAnswer, 'alone')).toEqual({ schedules: 14, twice: 10, differing: 2 });
  });

  test('may lose a request, but never charges twice, if the repeat comes immediately', async () => {
    expect(await count(setNx, 'early')).toEqual({
      schedules: 10,
      zombie: 4,
      untrue: 4,
      differing: 2,
    });
    expect(await count(setNxAnswer, 'early')).toEqual({
      schedules: 14,
      zombie: 4,
      stuck: 8,
      untold: 4,
    });
  });

  test.each([
    [setNx, 'early', '1,k1', ['zombie', 'untrue']],
    [setNxAnswer, 'early', '1,k1', ['zombie', 'stuck']],
    [setNxAnswer, 'alone', '1,1,k1', ['twice']],
    [setNx, 'alone', '1,k1', ['differing']],
  ])('$0.name in $1 has faults after schedule $2', async (strategy, name, schedule, faults) => {
    const played = await replay(stage, trialOf(strategy, name), schedule.split(','));
    expect(played.faults, tell(played).transcript).toEqual(faults);
  });

  test('lets a second server charge after time has passed', async () => {
    const played = await replay(stage, trialOf(setNx, 'slow'), ['1', 't', '2', '2', '1']);
    expect(played.faults).toContain('twice');
    expect(tell(played).transcript).toMatch(/charge\s+→ receipt 2/);
  });

  test('has a transcript in which no time passes before an immediate repeat', async () => {
    const told = async (name: string) =>
      tell(await replay(stage, trialOf(setNx, name), ['1', 'k1'])).transcript;
    expect(await told('alone')).toContain('-- two days pass. Key k of Redis expires --');
    expect(await told('early')).not.toContain('days pass');
  });
});
