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
import { type Admission, admit, type LineSettings } from './rules.ts';

/** The line of a job, and a recruiter. */
export interface Place {
  jobId: bigint;
  recruiterId: bigint;
}

/**
 * `in-line`: the recruiter waits, or has an offer. `claimed`: a slot was free, and the job gives
 * slots without asking.
 */
export type JoinOutcome =
  | { kind: 'in-line'; entry: Entry; waiting: number }
  | { kind: 'claimed' }
  | { kind: Exclude<Admission, 'admitted'> }
  | { kind: 'no-such-job' }
  | { kind: 'no-such-recruiter' };

/**
 * Puts a recruiter at the end of the line of a job. A recruiter who is in the line already keeps
 * the place.
 *
 * A join needs the lock of the job. Without the lock, a slot could be freed between the answer
 * "full" and the join. Then nobody would offer this slot to the recruiter, although it is free. This
 * is the lost wakeup. Under the lock, a recruiter who joins while a slot is free gets an offer at once.
 */
export const joinLine = (
  db: Database | Transaction,
  { jobId, recruiterId }: Place,
  offerMinutes: number,
): Promise<JoinOutcome> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [jobId] }, async (slots): Promise<JoinOutcome> => {
      const job = slots.jobs.get(jobId);
      if (!job) return { kind: 'no-such-job' };
      const lines = await countLines(tx, recruiterId);
      if (lines === undefined) return { kind: 'no-such-recruiter' };
      const before = await findEntry(tx, jobId, recruiterId);
      const waiting = await countWaiting(tx, jobId);
      if (before) return { kind: 'in-line', entry: before, waiting };
      const settings = await readSettings(tx, jobId, offerMinutes);
      const holds = job.recruiters.has(recruiterId);
      const admission = admit(settings, { holds, waiting, lines });
      if (admission !== 'admitted') return { kind: admission };
      // The recruiter's own offer may have lapsed. Its row is in the line until it is removed.
      if (job.expired) await slots.expire([jobId]);
      await slots.join({ jobId, recruiterId, offerMinutes: minutesOf(settings) });
      const entry = await findEntry(tx, jobId, recruiterId);
      if (!entry) return { kind: 'claimed' };
      const now = entry.place === null ? waiting : waiting + 1;
      return { kind: 'in-line', entry, waiting: now };
    }),
  );

export type LeaveOutcome = { kind: 'left'; entry: Entry } | { kind: 'not-in-line' };

/**
 * Takes a recruiter out of the line. This declines an offer, because the recruiter may not have seen
 * the offer yet.
 */
export const leaveLine = (
  db: Database | Transaction,
  { jobId, recruiterId }: Place,
): Promise<LeaveOutcome> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [jobId] }, async (slots): Promise<LeaveOutcome> => {
      const entry = await findEntry(tx, jobId, recruiterId);
      if (!entry) return { kind: 'not-in-line' };
      if (entry.claimId === null) await slots.leave({ jobId, recruiterId });
      else await slots.release(entry.claimId);
      return { kind: 'left', entry };
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
