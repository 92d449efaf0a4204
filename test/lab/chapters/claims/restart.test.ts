import { expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/explore.ts';
import type { ClaimStrategy } from '../../../../src/lab/chapters/claims/strategy.ts';
import { claimTrial } from '../../../../src/lab/chapters/claims/trial.ts';
import { situationNamed, strategyNamed } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';

const rowLock = strategyNamed('row-lock');

/** Starts a server that remembers for ever which jobs were full. */
function startServer(): ClaimStrategy['claim'] {
  const full = new Map<bigint, Awaited<ReturnType<ClaimStrategy['claim']>>>();
  return async (db, request) => {
    const known = full.get(request.jobId);
    if (known) return known;
    const outcome = await rowLock.claim(db, request);
    if (outcome.kind === 'full') full.set(request.jobId, outcome);
    return outcome;
  };
}

const remembering = { claim: startServer(), restart: startServer };

test('a server with memory starts anew before each schedule, so it remembers no earlier schedule', async () => {
  const stage = await makeStage();
  const trial = claimTrial(remembering, situationNamed('last-slot'), 2);
  const { isComplete, faults } = await explore(stage, trial);
  expect([isComplete, faults]).toEqual([true, {}]);
});

test('a server that remembers full jobs refuses a slot that was released in the same schedule', async () => {
  const stage = await makeStage();
  const trial = claimTrial(remembering, situationNamed('freed'), 2);
  expect(Object.keys((await explore(stage, trial)).faults)).toEqual(['unsold']);
});
