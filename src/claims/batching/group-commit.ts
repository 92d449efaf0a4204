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
import { lockJobs } from '../claim-job.ts';
import { insertClaims, removeExpired } from '../queries.ts';
import { type ClaimRequest, decideInOrder, type Outcome } from '../rules.ts';
import { outcomeOf } from '../settle.ts';
import { lookForRefusals } from './look.ts';
import { jobsThatExist, readForClaims, recruitersThatExist } from './read-for-claims.ts';

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
 * The result of a claim. `answered`: its key was answered before. `alone`: its key is in use
 * elsewhere, so it takes a transaction of its own.
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

/** Decides claims of jobs that this transaction has locked, in the order in which they came. */
async function claimUnderLock(
  tx: Transaction,
  locked: ReadonlyMap<bigint, { capacity: number }>,
  requests: ClaimRequest[],
): Promise<Outcome[]> {
  // A statement of its own, after the locks were granted, as in `claimJob`.
  const { holders, recruiters } = await readForClaims(tx, locked, requests);
  const decisions = decideInOrder(requests, locked, holders, recruiters);

  const granted = requests.filter((_, index) => decisions[index]?.kind === 'granted');
  const inTheWay = granted.map(({ jobId }) => jobId).filter((id) => holders.get(id)?.expired);
  if (inTheWay.length > 0) await removeExpired(tx, inTheWay);
  const claims = await insertClaims(tx, granted);
  const absent = requests.filter((_, index) => decisions[index]?.kind === 'absent');
  const taken = await recruitersThatExist(tx, absent);
  return requests.map((request, index) => {
    const decision = decisions[index] ?? { kind: 'no-such-job' };
    if (decision.kind === 'absent')
      return { kind: taken.has(request.recruiterId) ? 'busy' : 'no-such-recruiter' };
    if (decision.kind !== 'granted') return decision;
    const claim = claims.shift();
    if (claim?.jobId !== request.jobId || claim.recruiterId !== request.recruiterId)
      throw new Error('INSERT … RETURNING gave other rows than it was given');
    return { kind: 'claimed', claim, slots: decision.slots };
  });
}

/** The outcomes that need no lock; undefined for claims that do. */
export async function refuseTogether(
  db: Database,
  claims: Claiming[],
): Promise<(Outcome | undefined)[]> {
  try {
    return await lookForRefusals(
      db,
      claims.map(({ request }) => request),
    );
  } catch (error) {
    return settleAll(claims, error);
  }
}

const jobsOf = (requests: ClaimRequest[]) => [...new Set(requests.map(({ jobId }) => jobId))];

type Decide = (tx: Transaction, requests: ClaimRequest[]) => Promise<Result[]>;

/** One transaction for all. No claim is to blame for an error, so the error is everybody's. */
async function settleTogether(db: Database, claims: Claiming[], decide: Decide): Promise<Result[]> {
  try {
    return await retryConflicts(() => db.transaction((tx) => withKeys(tx, claims, decide)));
  } catch (error) {
    return settleAll(claims, error);
  }
}

/** The same outcome for all claims, for an error that is expected. Throws any other error. */
function settleAll(claims: Claiming[], error: unknown): Outcome[] {
  const outcome = outcomeOf(error);
  if (outcome?.kind !== 'busy' && outcome?.kind !== 'unknown') throw error;
  return claims.map(() => outcome);
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
    if (!keyed || !result || !isKept(result)) continue;
    answers.push({ ...keyed.key, ...(await keyed.contentOf(result)) });
  }
  if (answers.length > 0) await storeAnswers(tx, answers);
}

/** An answer that is kept for its key. A repeat of `busy` is to be decided anew. */
const isKept = (result: Result): result is Outcome =>
  !['answered', 'alone', 'locked-elsewhere', 'busy'].includes(result.kind);
