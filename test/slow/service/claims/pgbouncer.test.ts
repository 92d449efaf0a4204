import { describe, test } from 'vitest';
import { expectNoFalseClaim, expectWholeJobs } from '../../support/pooled-jobs.ts';
import { pgbouncer } from '../../support/pooler.ts';

const JOBS = 50;

describe.skipIf(pgbouncer === undefined)('PgBouncer', () => {
  test('in session mode oversells none of fifty jobs, though it drops the isolation level of the session', () =>
    expectWholeJobs(JOBS));

  test('in transaction mode, without DATABASE_POOLER, oversells none of fifty jobs and loses no granted claim', () =>
    expectNoFalseClaim(JOBS));
});
