import { good, type Note } from '../../parts/acts/notes.ts';
import { api } from '../../parts/api.ts';
import type { Id, Slots } from '../../parts/jobs/jobs.ts';
import { writePatiently } from '../../parts/patiently.ts';
import type { Claim } from './use-held.ts';
import { inWords, noAnswer } from './words.ts';

/** The result of an act in words, and the facts in the answer. */
export interface Result {
  note: Note;
  /**
   * The claim after the act. Null if there is no claim any more. Undefined if the answer does not
   * tell.
   */
  claim?: Claim | null;
  slots?: Slots;
}

type OnWait = () => void;

/**
 * Claims a job for a recruiter. The lease lasts `leaseSeconds`. If this is 0, the claim stays until
 * it is released.
 */
export async function claim(
  jobId: Id,
  recruiterId: string,
  leaseSeconds: number,
  onWait: OnWait,
): Promise<Result> {
  const param = { jobId: String(jobId) };
  const json = { recruiterId, ...(leaseSeconds > 0 && { leaseSeconds }) };
  const answer = await writePatiently(
    (init) => api.jobs[':jobId'].claims.$post({ param, json }, init),
    onWait,
  );
  if (!answer) return { note: noAnswer };
  if (answer.status !== 201) return refusal(await answer.json());
  const told = await answer.json();
  return { note: good(`Claimed. ${slotsLeft(told)}`), claim: told.claim, slots: slotsIn(told) };
}

export async function release({ id }: Claim, onWait: OnWait): Promise<Result> {
  const param = { id: String(id) };
  const answer = await writePatiently((init) => api.claims[':id'].$delete({ param }, init), onWait);
  if (!answer) return { note: noAnswer };
  if (answer.status !== 200) return refusal(await answer.json());
  const told = await answer.json();
  return { note: good(`Released. ${slotsLeft(told)}`), claim: null, slots: slotsIn(told) };
}

/** Renews a lease. The lease then ends `leaseSeconds` from now. */
export async function renew({ id }: Claim, leaseSeconds: number, onWait: OnWait): Promise<Result> {
  const request = { param: { id: String(id) }, json: { leaseSeconds } };
  const answer = await writePatiently(
    (init) => api.claims[':id'].renew.$post(request, init),
    onWait,
  );
  if (!answer) return { note: noAnswer };
  if (answer.status !== 200) return refusal(await answer.json());
  const told = await answer.json();
  return { note: good('Renewed.'), claim: told.claim, slots: slotsIn(told) };
}

/**
 * Puts a refusal into words. If the refusal tells the slots of the job, the result has them too.
 */
function refusal(problem: Parameters<typeof inWords>[0]): Result {
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

const slotsLeft = ({ remaining, capacity }: Slots): string =>
  `${remaining} of ${capacity} slots ${remaining === 1 ? 'is' : 'are'} left.`;
