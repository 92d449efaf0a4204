import { beforeAll, expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/explore.ts';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { tell } from '../../../../src/explorer/tell.ts';
import { claimTrial } from '../../../../src/lab/chapters/claims/trial.ts';
import type { Database } from '../../../../src/platform/db/client.ts';
import { claimJob } from '../../../../src/service/claims/claim.ts';
import type { ClaimRequest } from '../../../../src/service/claims/rules.ts';
import { situationNamed } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/campaigns/lab/chapters/production.test.ts plays all schedules of two sessions.
test('three recruiters at the same time never get past the row lock', async ({ signal }) => {
  const textbook = { claim: (db: Database, request: ClaimRequest) => claimJob(db, request) };
  const trial = claimTrial(textbook, situationNamed('two-slots'), 3);
  const found = await explore(stage, trial, { stop: signal });
  expect(Object.values(found.counterexamples).map((each) => tell(each).transcript)).toEqual([]);
  expect(found.schedules).toBeGreaterThan(100);
});
