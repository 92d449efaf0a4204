import { asc, eq, sql } from 'drizzle-orm';
import { connect, type Database } from '../../db/client.ts';
import { companies, jobClaims, jobs, recruiters } from '../../db/schema.ts';
import type { openSession } from '../../db/session.ts';
import { counters, leases, slots } from '../chapters/claims/tables.ts';
import type { Lent } from '../stages/stages.ts';

/** This many recruiters have a connection at once. The others wait for theirs, as in production. */
export const TRACK_CONNECTIONS = 20;

/** A scratch database with its connections open, for one race after the other. */
export interface Track extends Lent {
  db: Database;
}

/** Connects to a scratch database, for races in it. */
export async function openTrack(url: string, open?: typeof openSession): Promise<Track> {
  const { db, close } = connect(url, { connections: TRACK_CONNECTIONS, open });
  try {
    await silence(db);
    await openAll(db);
    return { db, close, clean: () => clearTrack(db) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A track has no listeners. Commits that announce would wait for one another. */
async function silence(db: Database) {
  for (const table of [jobs, jobClaims])
    await db.execute(sql`alter table ${table} disable trigger user`);
}

/**
 * Opens all connections before the race. Otherwise the race would measure connecting. Each transaction
 * holds its connection until the next one is open.
 */
const openAll = (db: Database, missing = TRACK_CONNECTIONS): Promise<void> =>
  missing === 0 ? Promise.resolve() : db.transaction(() => openAll(db, missing - 1));

/** The job of a race, and its recruiters. */
export interface RaceRows {
  jobId: bigint;
  recruiterIds: bigint[];
}

/** Makes a job to race for. Recruiters of earlier races race again, and missing ones are added. */
export async function layTrack(
  db: Database,
  size: { capacity: number; recruiters: number },
): Promise<RaceRows> {
  return db.transaction(async (tx) => {
    const [company] = await tx.insert(companies).values({ name: 'Company' }).returning();
    if (!company) throw new Error('INSERT … RETURNING gave no row');
    const [job] = await tx
      .insert(jobs)
      .values({ companyId: company.id, role: 'Race', capacity: size.capacity })
      .returning();
    if (!job) throw new Error('INSERT … RETURNING gave no row');
    const jobId = job.id;
    // Some strategies need these rows.
    await tx.insert(counters).values({ jobId, capacity: size.capacity });
    await tx.insert(leases).values({ jobId });
    await tx.execute(sql`
      insert into ${slots} (job_id, slot)
      select ${jobId}, slot from generate_series(1, ${size.capacity}::int) as slot`);
    const present = await tx
      .select({ id: recruiters.id })
      .from(recruiters)
      .orderBy(asc(recruiters.id))
      .limit(size.recruiters);
    const missing = Array.from({ length: size.recruiters - present.length }, () => ({
      name: 'Racer',
    }));
    const added = missing.length ? await tx.insert(recruiters).values(missing).returning() : [];
    return { jobId, recruiterIds: [...present, ...added].map((recruiter) => recruiter.id) };
  });
}

/** How many claims the table has for a job. */
export const countClaimsOf = (db: Database, jobId: bigint): Promise<number> =>
  db.$count(jobClaims, eq(jobClaims.jobId, jobId));

/** Removes everything but the recruiters. No claim may still run. */
export async function clearTrack(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    // The rows of the strategies go with their job.
    for (const table of [jobClaims, jobs, companies]) await tx.delete(table);
  });
}
