import { eq } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { slotsOf } from '../claims/rules.ts';
import { jobs } from '../database/schema.ts';
import { idBody, instantBody, type Page, paged } from '../http/schemas.ts';
import { companyOfEvents, type JobEvent, listEvents } from '../outbox/queries.ts';

/**
 * Finds the company of a job, also of a removed job that still has a history. Returns undefined if
 * there is no such job and no history.
 */
export async function companyOfHistory(db: Database, jobId: bigint): Promise<bigint | undefined> {
  const [job] = await db.select({ companyId: jobs.companyId }).from(jobs).where(eq(jobs.id, jobId));
  return job?.companyId ?? companyOfEvents(db, jobId);
}

/** Lists a page of a job's history. The cursor is the number of an event. */
export async function pageOfHistory(db: Database, jobId: bigint, page: Page) {
  const found = await listEvents(db, jobId, { ...page, limit: page.limit + 1 });
  const rows = found.map((event) => ({ ...event, id: BigInt(event.number) }));
  const { page: events, nextCursor } = paged(rows, page);
  return { events: events.map(eventBody), nextCursor };
}

const eventBody = ({ number, kind, at, claimId, recruiterId, expiresAt, ...job }: JobEvent) => ({
  number,
  kind,
  at: at.toISOString(),
  claimId: claimId && idBody(claimId),
  recruiterId: recruiterId && idBody(recruiterId),
  expiresAt: instantBody(expiresAt),
  role: job.role,
  ...slotsOf(job.capacity, job.claimed),
});
