import { describe, test } from 'vitest';
import { expectNoFalseClaim, expectWholeJobs } from '../../../support/pooled-jobs.ts';

const JOBS = 50;

describe('PgBouncer', { tags: ['pgbouncer'] }, () => {
  test('in session mode oversells none of fifty jobs, although PgBouncer drops the isolation level of the session', () =>
    expectWholeJobs(JOBS));

  test('in transaction mode, without DATABASE_POOLER, oversells none of fifty jobs and loses no granted claim', () =>
    expectNoFalseClaim(JOBS));
});
