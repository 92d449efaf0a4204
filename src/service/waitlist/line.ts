import type { Database, Transaction } from '../../platform/db/client.ts';
import { changeSlots } from '../claims/slots.ts';
import {
  countLines,
  countWaiting,
  type Entry,
  findEntry,
  minutesOf,
  readSettings,
  writeSettings,
} from './queries.ts';
import { admit, type JoinDecision, type LineSettings } from './rules.ts';

/** A recruiter, and the job whose line the recruiter joins or leaves. */
interface Waiter {
  jobId: bigint;
  recruiterId: bigint;
}

/**
 * `in-line`: the recruiter waits, or has an offer. `claimed`: a slot was free, and the job gives
 * slots without asking.
 */
export type JoinOutcome =
  | { kind: 'in-line'; entry: Entry }
  | { kind: 'claimed' }
  | { kind: Exclude<JoinDecision, 'admitted'> }
  | { kind: 'no-such-job' }
  | { kind: 'no-such-recruiter' };

/**
 * Puts a recruiter at the end of the line of a job. A recruiter who is in the line already keeps
 * the place.
 *
 * A join needs the lock of the job. Without the lock, a slot could be freed between the answer
 * "full" and the join. The recruiter would then wait although a slot is free. This is the lost
 * wakeup. Under the lock, a recruiter who joins while a slot is free gets an offer at once.
 */
export const joinLine = (
  db: Database | Transaction,
  { jobId, recruiterId }: Waiter,
  offerMinutes: number,
): Promise<JoinOutcome> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [jobId] }, async (slots): Promise<JoinOutcome> => {
      const job = slots.jobs.get(jobId);
      if (!job) return { kind: 'no-such-job' };
      const lines = await countLines(tx, recruiterId);
      if (lines === undefined) return { kind: 'no-such-recruiter' };
      const before = await findEntry(tx, jobId, recruiterId);
      if (before) return { kind: 'in-line', entry: before };
      const waiting = await countWaiting(tx, jobId);
      const settings = await readSettings(tx, jobId, offerMinutes);
      const holds = job.recruiters.has(recruiterId);
      const decision = admit(settings, { holds, waiting, lines });
      if (decision !== 'admitted') return { kind: decision };
      // The recruiter's own offer may have lapsed. Its row is in the line until it is removed.
      if (job.expired) await slots.expire([jobId]);
      await slots.join({ jobId, recruiterId, offerMinutes: minutesOf(settings) });
      const entry = await findEntry(tx, jobId, recruiterId);
      return entry ? { kind: 'in-line', entry } : { kind: 'claimed' };
    }),
  );

export type LeaveOutcome = { kind: 'left' | 'not-in-line' };

/**
 * Takes a recruiter out of the line. This declines an offer, because the recruiter may not have seen
 * the offer yet.
 */
export const leaveLine = (
  db: Database | Transaction,
  { jobId, recruiterId }: Waiter,
): Promise<LeaveOutcome> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [jobId] }, async (slots): Promise<LeaveOutcome> => {
      const entry = await findEntry(tx, jobId, recruiterId);
      if (!entry) return { kind: 'not-in-line' };
      if (entry.claimId === null) await slots.leave({ jobId, recruiterId });
      else await slots.release({ id: entry.claimId, jobId });
      return { kind: 'left' };
    }),
  );

/** Changes the settings of a line. Returns undefined if there is no such job. */
export const changeSettings = (
  db: Database | Transaction,
  jobId: bigint,
  change: Partial<LineSettings>,
  offerMinutes: number,
): Promise<LineSettings | undefined> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [jobId] }, async (slots) =>
      slots.jobs.has(jobId) ? writeSettings(tx, jobId, change, offerMinutes) : undefined,
    ),
  );
