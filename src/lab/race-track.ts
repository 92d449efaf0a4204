import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { companies, jobClaims, jobs, recruiters } from '../db/schema.ts';
import type { Standing } from './invariants.ts';
import { addLabRows } from './lab-rows.ts';

/** Marks the jobs that the lab made, so that it can never remove another. */
const COMPANY = '(race track)';

export interface RaceTrack {
  jobId: bigint;
  recruiterIds: bigint[];
}

/** A fresh job to race for, and recruiters to do it: those that exist, and as many new as it takes. */
export async function layTrack(
  db: Database,
  size: { capacity: number; recruiters: number },
): Promise<RaceTrack> {
  return db.transaction(async (tx) => {
    const [company] = await tx.insert(companies).values({ name: COMPANY }).returning();
    if (!company) throw new Error('INSERT … RETURNING gave no row');
    const [job] = await tx
      .insert(jobs)
      .values({ companyId: company.id, role: 'Race', capacity: size.capacity })
      .returning();
    if (!job) throw new Error('INSERT … RETURNING gave no row');
    await addLabRows(tx, job.id);
    const present = await tx
      .select({ id: recruiters.id })
      .from(recruiters)
      .orderBy(asc(recruiters.id))
      .limit(size.recruiters);
    const missing = Array.from({ length: size.recruiters - present.length }, () => ({
      name: 'Racer',
    }));
    const added = missing.length ? await tx.insert(recruiters).values(missing).returning() : [];
    return { jobId: job.id, recruiterIds: [...present, ...added].map((recruiter) => recruiter.id) };
  });
}

/** What is in the table for a job of the lab; undefined for any other job. */
export async function readTrack(db: Database, jobId: bigint): Promise<Standing | undefined> {
  const [standing] = await db
    .select({ capacity: jobs.capacity, claims: db.$count(jobClaims, eq(jobClaims.jobId, jobs.id)) })
    .from(jobs)
    .innerJoin(companies, isOfTheLab)
    .where(eq(jobs.id, jobId));
  return standing;
}

/** Removes a job of the lab with its claims; false for any other job. */
export async function clearTrack(db: Database, jobId: bigint): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [job] = await tx
      .select({ companyId: jobs.companyId })
      .from(jobs)
      .innerJoin(companies, isOfTheLab)
      .where(eq(jobs.id, jobId))
      .for('update', { of: jobs });
    if (!job) return false;
    await tx.delete(jobClaims).where(eq(jobClaims.jobId, jobId));
    await tx.delete(jobs).where(eq(jobs.id, jobId));
    await tx.delete(companies).where(eq(companies.id, job.companyId));
    return true;
  });
}

const isOfTheLab = and(eq(companies.id, jobs.companyId), eq(companies.name, COMPANY));
