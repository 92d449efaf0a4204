import type { Problem } from '../http/problem.ts';
import { busy, outcomeUnknown } from '../http/problems.ts';
import { idBody, instantBody } from '../http/schemas.ts';
import type { Claim, FoundClaim, Outcome } from './rules.ts';

/** The problem for each outcome except `claimed`. */
export const answers = {
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
    detail: 'There is no job with this id.',
  },
  'no-such-recruiter': {
    status: 404,
    code: 'recruiter-not-found',
    title: 'No such recruiter',
    detail: 'There is no recruiter with this id.',
  },
  busy: { ...busy, detail: 'The job or the database is busy. Nothing was claimed. Try again.' },
  unknown: {
    ...outcomeUnknown,
    detail:
      'The database gave no answer, so it is unknown whether the job was claimed. ' +
      'Try again. The answer `already-claimed` then means that the recruiter holds a slot.',
  },
} as const satisfies Record<Exclude<Outcome['kind'], 'claimed'>, Problem>;

export const claimNotFound = {
  status: 404,
  code: 'claim-not-found',
  title: 'No such claim',
  detail: 'There is no claim with this id. The claim may have been released or may have expired.',
} as const satisfies Problem;

export const noLease = {
  status: 409,
  code: 'no-lease',
  title: 'The claim has no lease',
  detail: 'This claim has no lease to renew. The claim stays until it is released.',
} as const satisfies Problem;

export const prefetchRefused = {
  status: 400,
  code: 'prefetch-refused',
  title: 'Claiming is not prefetched',
  detail: 'A browser made this request ahead of time. Nothing was claimed.',
} as const satisfies Problem;

export const claimBody = (claim: Claim | FoundClaim) => ({
  id: idBody(claim.id),
  jobId: idBody(claim.jobId),
  recruiterId: idBody(claim.recruiterId),
  claimedAt: claim.createdAt.toISOString(),
  expiresAt: instantBody(claim.expiresAt),
  ...('isOffer' in claim && claim.isOffer && { offer: true as const }),
});
