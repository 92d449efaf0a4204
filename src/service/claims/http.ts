import type { Context } from 'hono';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { retryConflicts } from '../../platform/db/retry.ts';
import type { Admission } from '../../platform/waiting/admission.ts';
import { recruiters } from '../database/schema.ts';
import { type Caller, isCompany, isRecruiter } from '../http/auth/caller.ts';
import { findNamed } from '../http/named.ts';
import { type Env, guardedBy, newRoutes } from '../http/new-routes.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import { forbidden } from '../http/problems.ts';
import { type Page, paged } from '../http/schemas.ts';
import { type Around, again, contentOf, type Write } from '../idempotency/http.ts';
import { answers, claimBody, claimNotFound, noLease } from './answers.ts';
import {
  acceptOffer,
  type ChangeOutcome,
  type ClaimChange,
  claimJob,
  releaseClaim,
  renewClaim,
} from './claim.ts';
import type { Keyed } from './claim-together.ts';
import type { ClaimQueue } from './group-commit.ts';
import { onlyMeant } from './only-meant.ts';
import { findClaim } from './queries.ts';
import { findJobSlots, type JobSlots, listClaims } from './reads.ts';
import * as routes from './routes.ts';
import type { Claim, ClaimRequest, Outcome } from './rules.ts';
import { settle } from './settle.ts';

export interface ClaimDeps {
  db: Database;
  write: Write;
  admission: Admission;
  queue: ClaimQueue;
  /**
   * Called with the outcome of each claim when the claim is decided. Not called when a stored
   * answer is repeated.
   */
  onOutcome: (kind: Outcome['kind']) => void;
}

/** Makes all routes about claims. */
export function claimRoutes({ db, write, admission, queue, onOutcome }: ClaimDeps) {
  /**
   * Claims through the queue. Ten thousand claims may wait here, so each claim must use little
   * memory. An async function would use another kilobyte for each claim. Therefore this function
   * and the two routes that call it are not async.
   */
  const claim = <const Status extends 200 | 201>(
    c: Context<Env>,
    request: ClaimRequest,
    status: Status,
  ) => {
    // The answer of GET /claim-job keeps its form.
    const joinable = status === 201 ? request.jobId : undefined;
    const reply = (outcome: Outcome) => {
      onOutcome(outcome.kind);
      return answer(c, outcome, status, joinable);
    };
    const key = c.get('key');
    if (!key) return queue.claim(request).then(reply);
    const inText = (outcome: Outcome) => contentOf(answer(c, outcome, status, joinable));
    return claimOnce(c, request, { key, contentOf: inText }, reply);
  };

  /**
   * Claims at most once for the key. If another session is using the key, the claim waits for the
   * key in a transaction of its own.
   */
  const claimOnce = <R extends Response>(
    c: Context<Env>,
    request: ClaimRequest,
    keyed: Keyed,
    reply: (outcome: Outcome) => R,
  ) => {
    const together = async () => {
      const settled = await queue.claimOnce(request, keyed);
      if (settled.kind === 'key-in-use') return undefined;
      if (settled.kind === 'answered') return again<R>(settled.known, keyed.key);
      return reply(settled);
    };
    const alone = async (within: Database | Transaction) => {
      // Conflicts are retried here, because `settle` would turn a conflict into `busy`.
      const claiming = retryConflicts(() => claimJob(within, request));
      return reply(await settle(claiming));
    };
    const around: Around = (run) => admitted(admission, request.jobId, run);
    return write(c, alone, { first: together, around });
  };

  /**
   * Releases, renews or accepts a claim. Recruiters get `no-such-claim` for the claims of other recruiters.
   */
  const change = async (c: Context<Env>, id: bigint, act: Change, message: string) => {
    const caller = c.get('caller');
    if (caller.role === 'company') return problem(forbidden);
    const recruiterId = caller.role === 'recruiter' ? caller.id : undefined;
    const own = { id, recruiterId };
    const run = async (within: Database | Transaction) =>
      changed(c, await act(within, own), message);
    const found = await findClaim(db, id, recruiterId);
    if (!found) return write(c, run);
    return write(c, run, { around: (running) => admitted(admission, found.jobId, running) });
  };

  return newRoutes()
    .openapi({ ...routes.claimByGet, middleware: guardedBy(onlyMeant) }, (c) => {
      const request = c.req.valid('query');
      if (!isRecruiter(c.get('caller'), request.recruiterId)) return problem(forbidden);
      return claim(c, request, 200);
    })
    .openapi(routes.claimByPost, (c) => {
      const { recruiterId, leaseSeconds } = c.req.valid('json');
      const { jobId } = c.req.valid('param');
      if (!isRecruiter(c.get('caller'), recruiterId)) return problem(forbidden);
      return claim(c, { jobId, recruiterId, ...(leaseSeconds && { leaseSeconds }) }, 201);
    })
    .openapi(routes.readClaim, async (c) => {
      const found = await findClaim(db, c.req.valid('param').id);
      const job = found && (await findJobSlots(db, found.jobId));
      if (!job || !maySee(c.get('caller'), found, job)) return problem(claimNotFound);
      return c.json({ claim: claimBody(found), ...job.slots }, 200);
    })
    .openapi(routes.release, (c) =>
      change(c, c.req.valid('param').id, releaseClaim, 'Claim released'),
    )
    .openapi(routes.renew, (c) => {
      const { leaseSeconds } = c.req.valid('json');
      const act: Change = (within, own) => renewClaim(within, { ...own, leaseSeconds });
      return change(c, c.req.valid('param').id, act, 'Lease renewed');
    })
    .openapi(routes.accept, (c) => {
      const { leaseSeconds } = c.req.valid('json');
      const act: Change = (within, own) => acceptOffer(within, { ...own, leaseSeconds });
      return change(c, c.req.valid('param').id, act, 'The claim is yours');
    })
    .openapi(routes.listOfJob, async (c) => {
      const caller = c.get('caller');
      if (caller.role === 'recruiter') return problem(forbidden);
      const { jobId } = c.req.valid('param');
      const job = await findJobSlots(db, jobId);
      if (!job) return problem(answers['no-such-job']);
      if (!isCompany(caller, job.companyId)) return problem(forbidden);
      const list = await claimPage(db, { jobId }, c.req.valid('query'));
      return c.json({ ...list, ...job.slots }, 200);
    })
    .openapi(routes.listOfRecruiter, async (c) => {
      const recruiterId = c.req.valid('param').id;
      if (!isRecruiter(c.get('caller'), recruiterId)) return problem(forbidden);
      if (!(await findNamed(db, recruiters, recruiterId)))
        return problem(answers['no-such-recruiter']);
      const { jobId: jobIds, ...page } = c.req.valid('query');
      return c.json(await claimPage(db, { recruiterId, jobIds }, page), 200);
    });
}

type Change = (within: Database | Transaction, which: ClaimChange) => Promise<ChangeOutcome>;

const maySee = (caller: Caller, claim: Claim, { companyId }: JobSlots): boolean =>
  isRecruiter(caller, claim.recruiterId) || isCompany(caller, companyId);

/**
 * Calls `run` as soon as `admission` allows another request on this job. `run` locks the job.
 * `admission` limits how many requests wait.
 */
export async function admitted<R extends Response>(
  admission: Admission,
  jobId: bigint,
  run: () => Promise<R>,
) {
  const result = await admission.run(run, jobId);
  return result instanceof Response ? result : problem(answers[result.kind], {}, RETRY_AFTER);
}

/**
 * Answers a claim. `status` is the status of a successful claim. With `joinable`, the answer about a
 * full job names the path of the waitlist of this job.
 */
export function answer<const Status extends 200 | 201>(
  c: Context<Env>,
  outcome: Outcome,
  status: Status,
  joinable?: bigint,
) {
  switch (outcome.kind) {
    case 'claimed': {
      const claim = claimBody(outcome.claim);
      const headers = status === 201 ? { Location: `/claims/${claim.id}` } : undefined;
      const message = 'Job claimed successfully';
      return c.json({ message, claim, ...outcome.slots }, status, headers);
    }
    case 'duplicate':
      return problem(answers.duplicate, { ...outcome.slots });
    case 'full': {
      const join = joinable && { waitlist: `/jobs/${joinable}/waitlist` };
      return problem(answers.full, { ...outcome.slots, ...join });
    }
    case 'busy':
    case 'unknown':
      return problem(answers[outcome.kind], {}, RETRY_AFTER);
    default:
      return problem(answers[outcome.kind]);
  }
}

function changed(c: Context<Env>, outcome: ChangeOutcome, message: string) {
  switch (outcome.kind) {
    case 'done':
      return c.json({ message, claim: claimBody(outcome.claim), ...outcome.slots }, 200);
    case 'no-lease':
      return problem(noLease);
    case 'no-such-claim':
      return problem(claimNotFound);
  }
}

async function claimPage(db: Database, of: Parameters<typeof listClaims>[1], page: Page) {
  const rows = await listClaims(db, of, { ...page, limit: page.limit + 1 });
  const { page: claims, nextCursor } = paged(rows, page);
  return { claims: claims.map(claimBody), nextCursor };
}
