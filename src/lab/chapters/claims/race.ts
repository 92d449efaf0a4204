import { asc, eq, sql } from 'drizzle-orm';
import type { Transaction } from '../../../platform/db/client.ts';
import { answers } from '../../../service/claims/answers.ts';
import { answer } from '../../../service/claims/http.ts';
import { onlyMeant } from '../../../service/claims/only-meant.ts';
import { claimByGet } from '../../../service/claims/routes.ts';
import type { ClaimRequest, Outcome } from '../../../service/claims/rules.ts';
import { settle } from '../../../service/claims/settle.ts';
import { companies, jobClaims, jobs, recruiters } from '../../../service/database/schema.ts';
import type { Course, Race } from '../../chapter.ts';
import { faultsOf } from './faults.ts';
import type { ClaimStrategy } from './strategy.ts';
import { counters, leases, slots } from './tables.ts';

/** Many recruiters race for the slots of one job. */
export const race: Race<ClaimStrategy, ClaimRequest, Outcome> = {
  kind: 'requests',
  shown: ['naive', 'transaction', 'row-lock'],
  usual: { sessions: 5, capacity: 4 },
  capacityOption: 'capacity',

  lay: (db, { capacity, sessions }) =>
    db.transaction(async (tx) => {
      const jobId = await layJob(tx, capacity);
      return courseOf(jobId, capacity, await someRecruiters(tx, sessions));
    }),

  start(strategy, db) {
    const claim = strategy.restart?.() ?? strategy.claim;
    return { ask: (request) => settle(claim(db, request)) };
  },

  statusOf: ({ kind }) => (kind === 'claimed' ? 200 : answers[kind].status),

  async count(db, { capacity, requests }) {
    const jobId = requests[0]?.jobId ?? 0n;
    const claims = await db.$count(jobClaims, eq(jobClaims.jobId, jobId));
    return {
      capacity,
      taken: claims,
      faults: faultsOf({ capacity, claims }),
      summary: `${claims} claims in the table for ${capacity} slots`,
    };
  },

  /**
   * Deletes all jobs and claims, and keeps the recruiters for later races. Callers must first wait
   * until all claims have ended.
   */
  clear: (db) =>
    db.transaction(async (tx) => {
      // The foreign keys of the strategies' tables delete the rows of these jobs too.
      for (const table of [jobClaims, jobs, companies]) await tx.delete(table);
    }),

  overHttp: {
    route: claimByGet,
    guard: onlyMeant,
    answer: (c, outcome) => answer(c, outcome, 200),
  },

  words: {
    start: ({ sessions, capacity }) =>
      `${sessions} recruiters claim one job at the same moment. The job takes ${capacity}.`,
    held: (capacity) => `never gave out more than ${capacity} slots`,
    worst: (taken, capacity) => `at worst ${taken} recruiters hold ${capacity} slots`,
    nobody: 'gave out no slot at all',
  },
};

/** Makes a job, with the rows that some strategies need. */
async function layJob(tx: Transaction, capacity: number): Promise<bigint> {
  const [company] = await tx.insert(companies).values({ name: 'Company' }).returning();
  if (!company) throw new Error('INSERT … RETURNING gave no row');
  const [job] = await tx
    .insert(jobs)
    .values({ companyId: company.id, role: 'Race', capacity })
    .returning();
  if (!job) throw new Error('INSERT … RETURNING gave no row');
  const jobId = job.id;
  await tx.insert(counters).values({ jobId, capacity });
  await tx.insert(leases).values({ jobId });
  await tx.execute(sql`
    insert into ${slots} (job_id, slot)
    select ${jobId}, slot from generate_series(1, ${capacity}::int) as slot`);
  return jobId;
}

/**
 * Returns the ids of `many` recruiters. Uses the recruiters of earlier races, and inserts only the
 * missing recruiters.
 */
async function someRecruiters(tx: Transaction, many: number): Promise<bigint[]> {
  const present = await tx
    .select({ id: recruiters.id })
    .from(recruiters)
    .orderBy(asc(recruiters.id))
    .limit(many);
  const missing = Array.from({ length: many - present.length }, () => ({ name: 'Racer' }));
  const added = missing.length ? await tx.insert(recruiters).values(missing).returning() : [];
  return [...present, ...added].map(({ id }) => id);
}

const courseOf = (
  jobId: bigint,
  capacity: number,
  recruiterIds: bigint[],
): Course<ClaimRequest> => ({
  capacity,
  requests: recruiterIds.map((recruiterId) => ({ jobId, recruiterId })),
  queries: recruiterIds.map((recruiterId) => `jobId=${jobId}&recruiterId=${recruiterId}`),
  // The ids of a scratch database are small, so a JSON number holds them exactly.
  ids: { jobId: Number(jobId), recruiterIds: recruiterIds.map(Number) },
  sessionOf: ({ recruiterId }) => recruiterIds.indexOf(recruiterId) + 1,
});
