import type { Context, Handler } from 'hono';
import { z } from 'zod';
import { methodNotAllowed, type Problem, problem } from '../problem.ts';
import type { Admission } from './admission.ts';
import type { Claim, ClaimRequest, Outcome } from './rules.ts';
import { settle } from './settle.ts';

/** Seconds after which it makes sense to ask again: a claim takes milliseconds. */
const RETRY_AFTER = { 'Retry-After': '1' };

/** The answer to each outcome. `claimed` is no problem, and has its own shape. */
const answers = {
  duplicate: {
    status: 409,
    code: 'already-claimed',
    title: 'Recruiter already claimed this job',
    detail: 'This recruiter already holds a slot of this job. Nothing was changed.',
  },
  full: {
    status: 403,
    code: 'job-full',
    title: 'Job fully claimed',
    detail: 'Every slot of this job is claimed. Nothing was changed.',
  },
  'no-such-job': {
    status: 404,
    code: 'job-not-found',
    title: 'No such job',
    detail: 'There is no job with this jobId.',
  },
  'no-such-recruiter': {
    status: 404,
    code: 'recruiter-not-found',
    title: 'No such recruiter',
    detail: 'There is no recruiter with this recruiterId.',
  },
  busy: {
    status: 503,
    code: 'busy',
    title: 'Busy',
    detail: 'The job or the database is busy. Nothing was claimed: ask again.',
  },
  unknown: {
    status: 503,
    code: 'outcome-unknown',
    title: 'Outcome not known',
    detail:
      'The database did not answer in time, so it is not known whether the job was claimed. ' +
      'Ask again: "already claimed" then means that it was.',
  },
} satisfies Record<Exclude<Outcome['kind'], 'claimed'>, Problem>;

/** A claim as one function of a request; a strategy bound to its database is one. */
export type ClaimFunction = (request: ClaimRequest) => Promise<Outcome>;

/**
 * Claims by GET, and answers 405 to every other method. Machines that do not know that this GET
 * changes something may send it ahead of time; those that say so are refused.
 */
export function claimByGet(claim: ClaimFunction, admission: Admission): Handler {
  return async (c) => {
    // Hono hands a HEAD to the handler of GET, so the method is judged here.
    if (c.req.method !== 'GET') return methodNotAllowed('GET');
    if (isPrefetch(c)) return problem(prefetchRefused);
    const parsed = query.safeParse({
      jobId: c.req.queries('jobId'),
      recruiterId: c.req.queries('recruiterId'),
    });
    if (!parsed.success) return invalid(parsed.error);
    const request = parsed.data;
    return answer(await admission.run(request.jobId, () => settle(claim(request))));
  };
}

/** Browsers say so when they load a page that nobody has asked for yet. */
function isPrefetch(c: Context): boolean {
  const purpose = `${c.req.header('Sec-Purpose') ?? ''} ${c.req.header('Purpose') ?? ''}`;
  return /\b(prefetch|prerender)\b/i.test(purpose);
}

const prefetchRefused: Problem = {
  status: 400,
  code: 'prefetch-refused',
  title: 'Claiming is not prefetched',
  detail: 'This request was made ahead of time by a browser. Nothing was claimed.',
};

const LARGEST_ID = 2n ** 63n - 1n;

/** An id, given exactly once in the query string. */
const id = z
  .array(z.string(), 'is missing')
  .max(1, 'is given more than once')
  .transform(([text = '']) => text)
  .refine((text) => text !== '', { error: 'is empty', abort: true })
  .refine((text) => /^[1-9]\d*$/.test(text), {
    error: 'must be a positive whole number',
    abort: true,
  })
  .refine((text) => text.length <= 19 && BigInt(text) <= LARGEST_ID, {
    error: `must be at most ${LARGEST_ID}`,
    abort: true,
  })
  .transform(BigInt);

const query = z.object({ jobId: id, recruiterId: id });

function invalid(error: z.ZodError): Response {
  const errors = error.issues.map((issue) => ({
    parameter: issue.path.join('.'),
    detail: issue.message,
  }));
  const detail = errors.map((each) => `${each.parameter} ${each.detail}`).join('; ');
  return problem(
    { status: 400, code: 'invalid-request', title: 'Invalid request', detail },
    { errors },
  );
}

function answer(outcome: Outcome): Response {
  switch (outcome.kind) {
    case 'claimed':
      return Response.json({
        message: 'Job claimed successfully',
        claim: claimBody(outcome.claim),
        ...outcome.slots,
      });
    case 'duplicate':
    case 'full':
      return problem(answers[outcome.kind], { ...outcome.slots });
    case 'busy':
    case 'unknown':
      return problem(answers[outcome.kind], {}, RETRY_AFTER);
    default:
      return problem(answers[outcome.kind]);
  }
}

const claimBody = ({ id, jobId, recruiterId, createdAt }: Claim) => ({
  id: idBody(id),
  jobId: idBody(jobId),
  recruiterId: idBody(recruiterId),
  claimedAt: createdAt.toISOString(),
});

/** An id as JSON: a number while every client can hold it exactly, text beyond that. */
export const idBody = (id: bigint): number | string =>
  id <= Number.MAX_SAFE_INTEGER ? Number(id) : String(id);
