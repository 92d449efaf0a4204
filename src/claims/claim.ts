import type { Database, Transaction } from '../db/client.ts';
import { asSeenBy, type Claim, type ClaimRequest, decide, type Outcome } from './rules.ts';
import { changeSlots } from './slots.ts';

/**
 * Claims one slot of a job for a recruiter, in a transaction of its own. This is the textbook way
 * to claim. `batching/` decides many claims in one transaction, with the same rules and the same
 * lock.
 *
 * Throws the errors of the database. `settle` turns the expected errors into outcomes.
 */
export const claimJob = (db: Database | Transaction, request: ClaimRequest): Promise<Outcome> =>
  db.transaction((tx) =>
    changeSlots(tx, { jobIds: [request.jobId] }, async (slots) => {
      const job = slots.jobs.get(request.jobId);
      if (!job) return { kind: 'no-such-job' };
      const decision = decide(job, asSeenBy(request.recruiterId, job));
      if (decision.kind !== 'granted') return decision;
      const [claim] = (await slots.claim([request])) as [Claim];
      return { kind: 'claimed', claim, slots: decision.slots };
    }),
  );
