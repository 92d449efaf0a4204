import type { Database, Transaction } from '../../db/client.ts';
import { retryConflicts } from '../../db/retry.ts';
import type { RequestKey, StoredAnswer } from '../../http/idempotency/keys.ts';
import {
  findAnswers,
  type KnownAnswer,
  nameOfKey,
  storeAnswers,
  tryKeys,
} from '../../http/idempotency/queries.ts';
import { type Claim, type ClaimRequest, decideInOrder, type Outcome } from '../rules.ts';
import { outcomeOf } from '../settle.ts';
import { changeSlots, type Door, inTransaction } from '../slots.ts';
import { lookForRefusals } from './look.ts';
import { jobsThatExist, recruitersThatExist } from './read-for-claims.ts';

/** A claim that is decided together with other claims. */
export interface Claiming {
  request: ClaimRequest;
  keyed?: Keyed | undefined;
}

/** An idempotency key, and the answer that is stored for it in the same transaction. */
export interface Keyed {
  key: RequestKey;
  contentOf(outcome: Outcome): Promise<StoredAnswer>;
}

/**
 * The result of a claim. `answered`: its key was answered before. `key-in-use`: another session is
 * using its key, so the claim was not decided.
 */
export type Settled = Outcome | { kind: 'answered'; known: KnownAnswer } | { kind: 'key-in-use' };

/** `locked-elsewhere`: another session has the lock of the job, so the claim was not decided. */
export type Result = Settled | { kind: 'locked-elsewhere' };

/**
 * Decides claims together, in one transaction that waits for no lock: a job that another session has
 * locked must not delay the others. The results come in the order of the claims.
 */
export const claimTogether = (door: Door, claims: Claiming[]): Promise<Result[]> =>
  settleTogether(door, claims, async (within, requests) => {
    const { outcomes, locked } = await claimSlots(within, requests, { skipLocked: true });
    const missing = jobsOf(requests).filter((id) => !locked.has(id));
    if (missing.length === 0) return outcomes;
    const elsewhere = await jobsThatExist(within.db, missing);
    return outcomes.map((outcome, index) =>
      elsewhere.has(requests[index]?.jobId ?? 0n) ? { kind: 'locked-elsewhere' } : outcome,
    );
  });

/** Decides claims of one job together. It waits for the job's lock as long as `lock_timeout` allows. */
export const claimInLine = (door: Door, claims: Claiming[]): Promise<Result[]> =>
  settleTogether(door, claims, async (within, requests) => {
    const { outcomes } = await claimSlots(within, requests);
    return outcomes;
  });

/** Decides claims in the order in which they came, as `claimJob` decides one. */
const claimSlots = (
  within: Door<Transaction>,
  requests: ClaimRequest[],
  { skipLocked = false } = {},
) => {
  // Only claims on locked jobs can succeed. To lock the recruiters of other claims would be a write.
  const recruitersOf = (locked: ReadonlySet<bigint>) => {
    const possible = requests.filter(({ jobId }) => locked.has(jobId));
    return [...new Set(possible.map(({ recruiterId }) => recruiterId))];
  };
  return changeSlots(
    within,
    { jobIds: jobsOf(requests), skipLocked, recruitersOf },
    async (slots) => {
      const decisions = decideInOrder(requests, slots.jobs, slots.recruiters);
      const claims = await slots.claim(
        requests.filter((_, index) => decisions[index]?.kind === 'granted'),
      );
      const absent = requests.filter((_, index) => decisions[index]?.kind === 'absent');
      const leaving = await recruitersThatExist(within.db, absent);
      const outcomes = requests.map((request, index): Outcome => {
        const decision = decisions[index] ?? { kind: 'no-such-job' };
        if (decision.kind === 'absent')
          return { kind: leaving.has(request.recruiterId) ? 'busy' : 'no-such-recruiter' };
        if (decision.kind !== 'granted') return decision;
        return { kind: 'claimed', claim: claims.shift() as Claim, slots: decision.slots };
      });
      return { outcomes, locked: slots.jobs };
    },
  );
};

/** Refuses claims without a lock. Gives undefined for the claims that need the lock. */
export async function refuseTogether(
  db: Database,
  claims: Claiming[],
): Promise<(Outcome | undefined)[]> {
  try {
    return await lookForRefusals(db, requestsOf(claims));
  } catch (error) {
    return settleAll(claims, error);
  }
}

const requestsOf = (claims: Claiming[]) => claims.map(({ request }) => request);
const jobsOf = (requests: ClaimRequest[]) => [...new Set(requests.map(({ jobId }) => jobId))];

type Decide = (within: Door<Transaction>, requests: ClaimRequest[]) => Promise<Result[]>;

/** Decides all claims in one transaction. An error is nobody's fault, so all claims get the error. */
async function settleTogether(door: Door, claims: Claiming[], decide: Decide): Promise<Result[]> {
  try {
    return await retryConflicts(() =>
      inTransaction(door, (within) => withKeys(within, claims, decide)),
    );
  } catch (error) {
    return settleAll(claims, error);
  }
}

/** Gives all claims the outcome of an expected error. Throws any other error. */
function settleAll(claims: Claiming[], error: unknown): Outcome[] {
  const outcome = outcomeOf(error);
  if (outcome?.kind !== 'busy' && outcome?.kind !== 'unknown') throw error;
  return claims.map(() => outcome);
}

/** Decides the claims that were not answered before, and stores the answers of claims with a key. */
async function withKeys(
  within: Door<Transaction>,
  claims: Claiming[],
  decide: Decide,
): Promise<Result[]> {
  const keys = claims.flatMap(({ keyed }) => (keyed ? [keyed.key] : []));
  if (keys.length === 0) return decide(within, requestsOf(claims));
  const ours = new Set(await tryKeys(within.db, keys));
  const known = await findAnswers(within.db, [...ours]);
  const open = claims.filter(
    ({ keyed }) => !keyed || (ours.has(keyed.key) && !known.has(nameOfKey(keyed.key))),
  );
  const results = await decide(within, requestsOf(open));
  const decided = new Map(open.map((claim, index) => [claim, results[index]]));
  await storeDecided(within.db, decided);
  return claims.map((claim) => {
    const answer = claim.keyed && known.get(nameOfKey(claim.keyed.key));
    return (
      decided.get(claim) ?? (answer ? { kind: 'answered', known: answer } : { kind: 'key-in-use' })
    );
  });
}

async function storeDecided(tx: Transaction, decided: Map<Claiming, Result | undefined>) {
  const answers = [];
  for (const [{ keyed }, result] of decided) {
    if (!keyed || !result || !isKept(result)) continue;
    answers.push({ ...keyed.key, ...(await keyed.contentOf(result)) });
  }
  if (answers.length > 0) await storeAnswers(tx, answers);
}

/** Whether the answer is stored for its key. `busy` is not: its repeat is decided anew. */
const isKept = (result: Result): result is Outcome =>
  !['answered', 'key-in-use', 'locked-elsewhere', 'busy'].includes(result.kind);
