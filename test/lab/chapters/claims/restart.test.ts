import { expect, test } from 'vitest';
import type { ClaimStrategy } from '../../../../src/lab/chapters/claims/strategy.ts';
import { claimTrial } from '../../../../src/lab/chapters/claims/trial.ts';
import { explore } from '../../../../src/lab/explore/explore.ts';
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

test('a server that starts anew before each schedule remembers no other schedule', async () => {
  const stage = await makeStage();
  const trial = claimTrial(remembering, situationNamed('last-slot'), 2);
  const { isComplete, faults } = await explore(stage, trial);
  expect([isComplete, faults]).toEqual([true, {}]);
});

test('within a schedule the server keeps its memory, and refuses a slot that was released', async () => {
  const stage = await makeStage();
  const trial = claimTrial(remembering, situationNamed('freed'), 2);
  expect(Object.keys((await explore(stage, trial)).faults)).toEqual(['unsold']);
});
