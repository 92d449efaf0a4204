import { anyOf } from '../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { retryConflicts } from '../../platform/db/retry.ts';
import { jobs, recruiters } from '../database/schema.ts';
import type { RequestKey, StoredAnswer } from '../idempotency/keys.ts';
import {
  findAnswers,
  type KnownAnswer,
  nameOfKey,
  storeAnswers,
  tryKeys,
} from '../idempotency/queries.ts';
import { type Claim, type ClaimRequest, decideInOrder, type Outcome } from './rules.ts';
import { settleAll } from './settle.ts';
import { changeSlots } from './slots.ts';

/** A claim that is decided together with other claims. */
export interface Claiming {
  request: ClaimRequest;
  keyed?: Keyed | undefined;
}

/**
 * An idempotency key, and a function that makes the answer to store. The transaction of the claim
 * stores the answer.
 */
export interface Keyed {
  key: RequestKey;
  contentOf(outcome: Outcome): Promise<StoredAnswer>;
}

/**
 * The result of a claim. `answered`: an earlier request with the same key has a stored answer.
 * `key-in-use`: another session is using the key, so the claim was not decided.
 */
export type Settled = Outcome | { kind: 'answered'; known: KnownAnswer } | { kind: 'key-in-use' };

/** `locked-elsewhere`: another session has the lock of the job, so the claim was not decided. */
export type Result = Settled | { kind: 'locked-elsewhere' };

interface How {
  /** Whether to skip the jobs that another session has locked. */
  skipLocked: boolean;
  /** Whether the transaction commits with the INSERT of the claims. */
  commits: boolean;
}

/**
 * Decides claims together in one transaction. The transaction does not wait for the locks of jobs.
 * Otherwise a job that another session has locked would delay all other jobs. The results are in
 * the order of the claims.
 */
export const claimTogether = (db: Database, claims: Claiming[]): Promise<Result[]> =>
  settleAll(claims.length, inOneTransaction(db, claims, true));

/**
 * Decides claims of one job together. Waits for the lock of the job, but no longer than
 * `lock_timeout`.
 */
export const claimWithWait = (db: Database, claims: Claiming[]): Promise<Result[]> =>
  settleAll(claims.length, inOneTransaction(db, claims, false));

const inOneTransaction = (db: Database, claims: Claiming[], skipLocked: boolean) =>
  retryConflicts(() =>
    db.transaction((tx) =>
      claims.some(({ keyed }) => keyed)
        ? claimWithKeys(tx, claims, skipLocked)
        : claimSlots(tx, requestsOf(claims), { skipLocked, commits: true }),
    ),
  );

const requestsOf = (claims: Claiming[]) => claims.map(({ request }) => request);

/** Decides claims one after the other, by the rules of `claimJob`. */
const claimSlots = (tx: Transaction, requests: ClaimRequest[], { skipLocked, commits }: How) => {
  const jobIds = [...new Set(requests.map(({ jobId }) => jobId))];
  const recruiterIds = [...new Set(requests.map(({ recruiterId }) => recruiterId))];
  return changeSlots(tx, { jobIds, skipLocked, recruiterIds }, async (slots) => {
    const decisions = decideInOrder(requests, slots.jobs, slots.recruiters);
    const of = (kind: (typeof decisions)[number]['kind']) =>
      requests.filter((_, index) => decisions[index]?.kind === kind);
    const leaving = await idsThatExist(
      tx,
      recruiters,
      of('absent').map(({ recruiterId }) => recruiterId),
    );
    const missing = skipLocked ? of('no-such-job').map(({ jobId }) => jobId) : [];
    const elsewhere = await idsThatExist(tx, jobs, missing);
    const claims = await slots.claim(of('granted'), { commits });
    return requests.map(({ jobId, recruiterId }, index): Result => {
      const decision = decisions[index] ?? { kind: 'no-such-job' };
      switch (decision.kind) {
        case 'granted':
          return { kind: 'claimed', claim: claims.shift() as Claim, slots: decision.slots };
        case 'absent':
          return { kind: leaving.has(recruiterId) ? 'busy' : 'no-such-recruiter' };
        case 'no-such-job':
          return elsewhere.has(jobId) ? { kind: 'locked-elsewhere' } : decision;
        default:
          return decision;
      }
    });
  });
};

/** Returns which of these ids exist, even if their rows are locked. Without ids, sends no statement. */
async function idsThatExist(
  tx: Transaction,
  table: typeof jobs | typeof recruiters,
  ids: bigint[],
): Promise<Set<bigint>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .select({ id: table.id })
    .from(table)
    .where(anyOf(table.id, [...new Set(ids)]));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Decides the claims without a key, and the claims whose key is free and has no stored answer.
 * Stores the answers of claims with a key.
 */
async function claimWithKeys(
  tx: Transaction,
  claims: Claiming[],
  skipLocked: boolean,
): Promise<Result[]> {
  const keys = claims.flatMap(({ keyed }) => (keyed ? [keyed.key] : []));
  const ours = new Set(await tryKeys(tx, keys));
  const known = await findAnswers(tx, [...ours]);
  const open = claims.filter(
    ({ keyed }) => !keyed || (ours.has(keyed.key) && !known.has(nameOfKey(keyed.key))),
  );
  const results = await claimSlots(tx, requestsOf(open), { skipLocked, commits: false });
  const decided = new Map(open.map((claim, index) => [claim, results[index]]));
  await storeDecided(tx, decided);
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

/**
 * Returns whether the answer is stored for its key. The answer `busy` is not stored, so that a
 * repeat of the request is decided again.
 */
const isKept = (result: Result): result is Outcome =>
  !['answered', 'key-in-use', 'locked-elsewhere', 'busy'].includes(result.kind);
