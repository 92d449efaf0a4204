import type { Id, Job, Problem } from '../../../client/index.ts';
import { good, type Note } from '../../parts/acts/notes.ts';
import { api } from '../../parts/api.ts';
import type { Slots } from '../../parts/jobs/jobs.ts';
import type { Claim } from './use-held.ts';
import { inWords, nothingSent } from './words.ts';

/** The result of a request in words, and the facts in the answer. */
export interface Result {
  note: Note;
  /**
   * The claim after the request. Null if there is no claim any more. Undefined if the answer does
   * not say whether there is a claim.
   */
  claim?: Claim | null;
  slots?: Slots;
}

type OnWait = () => void;

/**
 * Claims a job for a recruiter. The lease lasts `leaseSeconds`. If `leaseSeconds` is 0, the claim
 * has no lease, and stays until somebody releases the claim.
 */
export async function claim(
  jobId: Id,
  recruiterId: string,
  leaseSeconds: number,
  onWait: OnWait,
): Promise<Result> {
  const args = { jobId, recruiterId, ...(leaseSeconds > 0 && { leaseSeconds }) };
  const answer = await api.claimJob(args, { onWait });
  if (!answer.ok) return refusal(answer);
  const { claim, ...job } = answer.data;
  return { note: good(`Claimed. ${slotsLeft(job)}`), claim, slots: slotsIn(job) };
}

export async function release({ id }: Claim, onWait: OnWait): Promise<Result> {
  const answer = await api.releaseClaim({ id }, { onWait });
  if (!answer.ok) return refusal(answer);
  const { data } = answer;
  return { note: good(`Released. ${slotsLeft(data)}`), claim: null, slots: slotsIn(data) };
}

/** Renews a lease. The lease then ends `leaseSeconds` from now. */
export async function renew({ id }: Claim, leaseSeconds: number, onWait: OnWait): Promise<Result> {
  const answer = await api.renewClaim({ id, leaseSeconds }, { onWait });
  if (!answer.ok) return refusal(answer);
  const { claim, ...job } = answer.data;
  return { note: good('Renewed.'), claim, slots: slotsIn(job) };
}

/** Puts a recruiter at the end of the line of a job. A slot may be free, and is offered at once. */
export async function join(jobId: Id, recruiterId: string, onWait: OnWait): Promise<Result> {
  const answer = await api.joinWaitlist({ jobId, recruiterId }, { onWait });
  if (!answer.ok) return refusal(answer);
  const { entry } = answer.data;
  if (!entry) return { note: good('The job is yours.') };
  return { note: good(entry.offer ? 'A slot is offered to you.' : 'You are in line.') };
}

/**
 * Takes a recruiter who waits out of the line. Changes nothing if the recruiter has got an offer
 * since the press.
 */
export async function leave(jobId: Id, recruiterId: string, onWait: OnWait): Promise<Result> {
  const read = await api.readPlaceInLine({ jobId, recruiterId }, { onWait });
  if (!read.ok) return refusal(read);
  if (read.data.entry.offer) return { note: nothingSent };
  const answer = await api.leaveWaitlist({ jobId, recruiterId }, { onWait });
  return answer.ok ? { note: good('You have left the line.') } : refusal(answer);
}

/**
 * Declines an offer. Changes nothing if somebody has accepted the offer since the press, for example
 * in another tab. A plain release would end the accepted claim.
 */
export async function decline(offer: Claim, onWait: OnWait): Promise<Result> {
  const { id, jobId, recruiterId } = offer;
  const read = await api.readPlaceInLine({ jobId, recruiterId }, { onWait });
  const isOffered = read.ok && read.data.entry.offer?.claimId === id;
  if (isOffered) return release(offer, onWait);
  return read.ok || read.code === 'not-in-line' ? { note: nothingSent } : refusal(read);
}

/** Accepts an offer. Afterwards the claim has a lease of `leaseSeconds`, or none if this is 0. */
export async function accept({ id }: Claim, leaseSeconds: number, onWait: OnWait): Promise<Result> {
  const lease = leaseSeconds > 0 && { leaseSeconds };
  const answer = await api.acceptOffer({ id, ...lease }, { onWait });
  if (!answer.ok) return refusal(answer);
  const { claim, ...job } = answer.data;
  return { note: good('Accepted. The job is yours.'), claim, slots: slotsIn(job) };
}

/**
 * Puts a refusal into words. If the refusal contains the slots of the job, the result contains the
 * slots too.
 */
function refusal(problem: Problem): Result {
  const { code, capacity, claimed, remaining } = problem;
  const isKnown = capacity !== undefined && claimed !== undefined && remaining !== undefined;
  return {
    note: inWords(problem),
    ...(isKnown && { slots: { capacity, claimed, remaining } }),
    ...(code === 'claim-not-found' && { claim: null }),
  };
}

const slotsIn = ({ capacity, claimed, remaining }: Slots): Slots => ({
  capacity,
  claimed,
  remaining,
});

const slotsLeft = ({ remaining, capacity }: Pick<Job, 'remaining' | 'capacity'>): string =>
  `${remaining} of ${capacity} slots ${remaining === 1 ? 'is' : 'are'} left.`;
