import { beforeAll, expect, test } from 'vitest';
import { claimJob } from '../../../../src/claims/claim.ts';
import type { ClaimRequest } from '../../../../src/claims/rules.ts';
import type { Database } from '../../../../src/db/client.ts';
import { claimTrial } from '../../../../src/lab/chapters/claims/trial.ts';
import { explore } from '../../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../../src/lab/explore/stage.ts';
import { tell } from '../../../../src/lab/explore/tell.ts';
import { situationNamed } from '../../../support/claims-chapter.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

// test/campaigns/lab/chapters/production.test.ts has two sessions, with all schedules.
test('three recruiters at once do not get past the row lock', async ({ signal }) => {
  const textbook = { claim: (db: Database, request: ClaimRequest) => claimJob(db, request) };
  const trial = claimTrial(textbook, situationNamed('two-slots'), 3);
  const found = await explore(stage, trial, { stop: signal });
  expect(Object.values(found.counterexamples).map((each) => tell(each).transcript)).toEqual([]);
  expect(found.schedules).toBeGreaterThan(100);
});
