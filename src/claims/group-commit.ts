import type { Database, Transaction } from '../db/client.ts';
import { retryConflicts } from '../db/retry.ts';
import type { RequestKey, StoredAnswer } from '../idempotency/keys.ts';
import {
  findAnswers,
  type KnownAnswer,
  nameOfKey,
  storeAnswers,
  tryKeys,
} from '../idempotency/queries.ts';
import { claimUnderLock, lockJobs } from './claim-job.ts';
import { lookForRefusals } from './look.ts';
import { jobsThatExist } from './queries.ts';
import type { ClaimRequest, Outcome } from './rules.ts';
import { outcomeOf } from './settle.ts';

/** A claim that is to be decided together with others. */
export interface Claiming {
  request: ClaimRequest;
  /** With an idempotency key: what is to be stored for it, in the same transaction. */
  keyed?: Keyed | undefined;
}

export interface Keyed {
  key: RequestKey;
  contentOf(outcome: Outcome): Promise<StoredAnswer>;
}

/**
 * What a claim got. `answered`: its key was answered before. `alone`: it takes a transaction of its
 * own, since its key is in use elsewhere, or its refusal has to be stored after an error.
 */
export type Settled = Outcome | { kind: 'answered'; known: KnownAnswer } | { kind: 'alone' };

/** The same, or word that another session has the lock of its job. */
export type Result = Settled | { kind: 'locked-elsewhere' };

/**
 * Decides claims together, in one transaction that waits for no lock: a job that another session
 * holds must not delay the others. Each claim gets a result, in their order.
 */
export const claimTogether = (db: Database, claims: Claiming[]): Promise<Result[]> =>
  settleTogether(db, claims, async (tx, requests) => {
    const ids = jobsOf(requests);
    const locked = await lockJobs(tx, ids, { skipLocked: true });
    const missing = ids.filter((id) => !locked.has(id));
    const elsewhere = missing.length > 0 ? await jobsThatExist(tx, missing) : new Set<bigint>();
    const outcomes = await claimUnderLock(tx, locked, requests);
    return outcomes.map((outcome, index) =>
      elsewhere.has(requests[index]?.jobId ?? 0n) ? { kind: 'locked-elsewhere' } : outcome,
    );
  });

/** Decides claims of one job together, and waits for its lock as long as `lock_timeout` allows. */
export const claimInLine = (db: Database, claims: Claiming[]): Promise<Result[]> =>
  settleTogether(db, claims, async (tx, requests) =>
    claimUnderLock(tx, await lockJobs(tx, jobsOf(requests)), requests),
  );

/** The outcomes that need no lock; undefined for claims that do. */
export async function refuseTogether(db: Database, claims: Claiming[]) {
  try {
    return await lookForRefusals(
      db,
      claims.map(({ request }) => request),
    );
  } catch (error) {
    if (!outcomeOf(error)) throw error;
    // It only looked, so nothing was claimed, however this ended.
    return claims.map((): Outcome => ({ kind: 'busy' }));
  }
}

const jobsOf = (requests: ClaimRequest[]) => [...new Set(requests.map(({ jobId }) => jobId))];

type Decide = (tx: Transaction, requests: ClaimRequest[]) => Promise<Result[]>;

/**
 * One transaction for all, and outcomes for the database's errors. Where one of the claims is to
 * blame (it may name a recruiter who does not exist), each half is tried alone, the first one first,
 * until it is found.
 */
async function settleTogether(db: Database, claims: Claiming[], decide: Decide): Promise<Result[]> {
  try {
    return await retryConflicts(() => db.transaction((tx) => withKeys(tx, claims, decide)));
  } catch (error) {
    const outcome = outcomeOf(error);
    if (!outcome) throw error;
    if (outcome.kind === 'busy' || outcome.kind === 'unknown') return claims.map(() => outcome);
    if (claims.length === 1)
      return claims.map(({ keyed }) => (keyed ? { kind: 'alone' } : outcome));
    const half = Math.ceil(claims.length / 2);
    const first = await settleTogether(db, claims.slice(0, half), decide);
    return [...first, ...(await settleTogether(db, claims.slice(half), decide))];
  }
}

/** Decides the claims that were not answered before, and stores the answers to those with a key. */
async function withKeys(tx: Transaction, claims: Claiming[], decide: Decide): Promise<Result[]> {
  const keys = claims.flatMap(({ keyed }) => (keyed ? [keyed.key] : []));
  if (keys.length === 0)
    return decide(
      tx,
      claims.map(({ request }) => request),
    );
  const ours = new Set(await tryKeys(tx, keys));
  const known = await findAnswers(tx, [...ours]);
  const open = claims.filter(
    ({ keyed }) => !keyed || (ours.has(keyed.key) && !known.has(nameOfKey(keyed.key))),
  );
  const results = await decide(
    tx,
    open.map(({ request }) => request),
  );
  const decided = new Map(open.map((claim, index) => [claim, results[index]]));
  await storeDecided(tx, decided);
  return claims.map((claim) => {
    const answer = claim.keyed && known.get(nameOfKey(claim.keyed.key));
    return decided.get(claim) ?? (answer ? { kind: 'answered', known: answer } : { kind: 'alone' });
  });
}

async function storeDecided(tx: Transaction, decided: Map<Claiming, Result | undefined>) {
  const answers = [];
  for (const [{ keyed }, result] of decided) {
    if (!keyed || !result || !isOutcome(result)) continue;
    answers.push({ ...keyed.key, ...(await keyed.contentOf(result)) });
  }
  if (answers.length > 0) await storeAnswers(tx, answers);
}

const isOutcome = (result: Result): result is Outcome =>
  !['answered', 'alone', 'locked-elsewhere'].includes(result.kind);
