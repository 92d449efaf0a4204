import { and, asc, eq, getTableColumns, gt } from 'drizzle-orm';
import type { Database } from '../../platform/db/client.ts';
import { isLive, isOffer, jobClaims } from '../database/schema.ts';
import { event } from '../http/event-stream.ts';
import { idBody, instantBody } from '../http/schemas.ts';
import { findJobs } from '../jobs/queries.ts';
import type { ClaimEvent } from '../outbox/queries.ts';

/** The news that a recruiter gets about a claim. */
export interface ClaimNews extends Omit<ClaimEvent, 'kind'> {
  kind: ClaimNewsKind;
  /** Whether the claim is an offer. Only `held` and `ending` need it. */
  isOffer?: boolean;
}

/** Returns whether the claim of the news is an offer, which its recruiter has not accepted yet. */
export const isOfferIn = ({ kind, isOffer = kind === 'offered' }: ClaimNews): boolean => isOffer;

/** `held` is a claim of the full state. `ending` is a claim whose lease ends soon. */
export const claimNewsKinds = [
  'held',
  'claimed',
  'renewed',
  'ending',
  'released',
  'expired',
  'offered',
  'accepted',
  'declined',
  'lapsed',
] as const;
export type ClaimNewsKind = (typeof claimNewsKinds)[number];

export function claimEvent(news: ClaimNews) {
  const { kind, at, claimId, recruiterId, expiresAt, ...job } = news;
  return event('claim', {
    kind,
    at: at.toISOString(),
    claim: {
      id: idBody(claimId),
      jobId: idBody(job.jobId),
      recruiterId: idBody(recruiterId),
      expiresAt: instantBody(expiresAt),
      ...(isOfferIn(news) && { offer: true }),
    },
    job: {
      id: idBody(job.jobId),
      role: job.role,
      capacity: job.capacity,
      claimed: job.claimed,
      remaining: Math.max(0, job.capacity - job.claimed),
    },
  });
}

/** Lists a page of the claims that a recruiter holds now, in the order of their ids. */
export async function listHeld(
  db: Database,
  recruiterId: bigint,
  { cursor, limit }: { cursor: bigint; limit: number },
): Promise<ClaimNews[]> {
  const claims = await db
    .select({ ...getTableColumns(jobClaims), isOffer })
    .from(jobClaims)
    .where(and(eq(jobClaims.recruiterId, recruiterId), gt(jobClaims.id, cursor), isLive))
    .orderBy(asc(jobClaims.id))
    .limit(limit);
  const found = await findJobs(db, [...new Set(claims.map(({ jobId }) => jobId))]);
  const jobs = new Map(found.map((job) => [job.id, job]));
  return claims.flatMap(({ id, jobId, createdAt, expiresAt, isOffer }) => {
    const job = jobs.get(jobId);
    // The job was removed between the two reads. Later events report the removal.
    if (!job) return [];
    const { capacity, claimed } = job.slots;
    const about = { jobId, role: job.role, capacity, claimed, isOffer };
    return [
      { kind: 'held', at: createdAt, claimId: id, recruiterId, expiresAt, ...about } as const,
    ];
  });
}
