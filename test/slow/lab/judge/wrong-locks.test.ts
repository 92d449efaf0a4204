import { describe, expect, test } from 'vitest';
import { explore, hasAny } from '../../../../src/explorer/explore.ts';
import { claims } from '../../../../src/lab/chapters/claims/index.ts';
import type { ClaimStrategy } from '../../../../src/lab/chapters/claims/strategy.ts';
import { claimTrial } from '../../../../src/lab/chapters/claims/trial.ts';
import { loadStrategy } from '../../../../src/lab/judge/load-strategy.ts';
import locksCompany from '../../../lab/judge/judged/right-locks-the-company.ts';
import locksNumberOfClaims from '../../../lab/judge/judged/wrong-locks-a-number-of-the-claims.ts';
import locksAllClaims from '../../../lab/judge/judged/wrong-locks-all-claims.ts';
import locksClaimsOfCompany from '../../../lab/judge/judged/wrong-locks-claims-of-company.ts';
import locksNewestClaim from '../../../lab/judge/judged/wrong-locks-newest-claim.ts';
import locksOldestClaim from '../../../lab/judge/judged/wrong-locks-oldest-claim.ts';
import locksOtherJobs from '../../../lab/judge/judged/wrong-locks-other-jobs.ts';
import { situationNamed } from '../../../support/claims-chapter.ts';
import { judgedFolder } from '../../../support/judge.ts';
import { makeStage } from '../../../support/stage.ts';

const stage = await makeStage();

const exploreFirstSlot = (claim: typeof locksCompany) =>
  explore(stage, claimTrial({ claim }, situationNamed('first-slot'), 2), {
    endsAfter: hasAny(['oversold']),
  });

// test/campaigns/scripts/judge.test.ts judges these files, and more of them.
test.each([
  ['all claims', locksAllClaims],
  ['the newest claim', locksNewestClaim],
  ['the oldest claim', locksOldestClaim],
  ['the claims of the company', locksClaimsOfCompany],
  ['a number that it reads from the claims', locksNumberOfClaims],
  ['the other jobs', locksOtherJobs],
])('on an empty board, a strategy that locks only %s oversells', async (_, claim) => {
  const { faults, counterexamples } = await exploreFirstSlot(claim);
  expect(faults).toEqual({ oversold: 1 });
  expect(counterexamples.oversold?.summary).toBe('2 claims, 1 slot');
});

test('on an empty board, a strategy that locks the company does not oversell', async () => {
  expect((await exploreFirstSlot(locksCompany)).faults).toEqual({});
});

describe.each([
  // The other situations do not find these.
  ['in-life', 'wrong-locks-company-of-same-id', 'oversold'],
  ['in-life', 'wrong-locks-a-group-of-recruiters', 'oversold'],
  ['twelve-slots', 'wrong-compares-text', 'unsold'],
  ['two-jobs', 'wrong-locks-a-second-job', 'deadlock'],
  ['raised', 'wrong-remembers-capacity', 'unsold'],
  ['missing', 'wrong-missing-is-full', 'untrue'],
  // Other situations find these too.
  ['last-slot', 'wrong-takes-back', 'oversold'],
  ['taken-back', 'wrong-remembers-duplicates', 'untrue'],
  ['twelve-slots', 'wrong-at-most-four', 'unsold'],
  ['in-life', 'wrong-rounds-ids', 'untrue'],
  ['in-life', 'wrong-counts-up-every-job', 'untrue'],
  ['in-life', 'wrong-duplicate-elsewhere', 'untrue'],
  ['in-life', 'wrong-locks-recruiter-of-same-id', 'oversold'],
  ['two-slots', 'wrong-gives-up-as-full', 'unsold'],
  ['same-recruiter', 'wrong-busy-for-full', 'untrue'],
  ['in-life', 'wrong-ends-every-lease', 'untrue'],
  ['in-life', 'wrong-short-lease', 'untrue'],
  ['in-life', 'wrong-removes-leases', 'untrue'],
])('%s', (situation, name, fault) => {
  test(`finds that ${name} falls`, async () => {
    const { strategy } = await loadStrategy(claims, `${judgedFolder}/${name}.ts`);
    const trial = claimTrial(strategy as ClaimStrategy, situationNamed(situation), 2);
    expect(Object.keys((await explore(stage, trial)).faults)).toContain(fault);
  });
});
