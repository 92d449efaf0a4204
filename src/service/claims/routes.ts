import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import {
  fields,
  idAnswer,
  idPath,
  idsText,
  idText,
  idValue,
  instantAnswer,
  json,
  jsonBody,
  LARGEST_PAGE,
  nextCursor,
  pageQuery,
  parameters,
  slotsAnswer,
} from '../http/schemas.ts';
import { keyHeader, onWriting } from '../idempotency/problems.ts';
import { answers, claimNotFound, noLease, prefetchRefused } from './answers.ts';

/** 30 days. A recruiter who needs more time can renew the lease. */
export const LONGEST_LEASE_S = 30 * 24 * 60 * 60;

const leaseSeconds = z
  .int({
    error: ({ input }) =>
      input === undefined ? 'is missing' : `must be a whole number from 1 to ${LONGEST_LEASE_S}`,
  })
  .min(1, `must be a whole number from 1 to ${LONGEST_LEASE_S}`)
  .max(LONGEST_LEASE_S, `must be a whole number from 1 to ${LONGEST_LEASE_S}`)
  .meta({ description: 'The claim ends by itself after this many seconds.', example: 900 });

export const claimAnswer = z
  .object({
    id: idAnswer,
    jobId: idAnswer,
    recruiterId: idAnswer,
    claimedAt: instantAnswer,
    expiresAt: instantAnswer
      .nullable()
      .meta({ description: 'When the lease ends. Null if the claim has no lease.', example: null }),
    offer: z
      .literal(true)
      .optional()
      .meta({
        description:
          'True for an offer: the recruiter came from the waitlist, and has not accepted yet. ' +
          'Absent for every other claim.',
        example: undefined,
      }),
  })
  .meta({ id: 'Claim' });

const claimAndSlots = z.object({ claim: claimAnswer, ...slotsAnswer });
const toldAbout = z.object({
  message: z.string().meta({ example: 'Job claimed successfully' }),
  ...claimAndSlots.shape,
});

const refusals = [
  answers.full,
  answers.duplicate,
  answers['no-such-job'],
  answers['no-such-recruiter'],
] as const;

export const claimQuery = parameters({ jobId: idText, recruiterId: idText });

export const claimByGet = createRoute({
  operationId: 'claimJobByGet',
  method: 'get',
  path: '/claim-job',
  tags: ['Claims'],
  summary: 'Claim a job',
  description:
    'Claims a job in the same way as `POST /jobs/{jobId}/claims`, but without a lease. HEAD ' +
    'requests, prefetches and requests from pages of other sites are refused.',
  parameters: [keyHeader],
  request: { query: claimQuery },
  responses: {
    200: json('Claimed.', toldAbout),
    ...problemResponses(...onEveryRoute, ...onWriting, ...refusals, prefetchRefused),
  },
});

const jobId = z.object({ jobId: idText });

export const claimByPost = createRoute({
  operationId: 'claimJob',
  method: 'post',
  path: '/jobs/{jobId}/claims',
  tags: ['Claims'],
  summary: 'Claim a job, for good or with a lease',
  parameters: [keyHeader],
  request: {
    params: jobId,
    body: jsonBody(fields({ recruiterId: idValue, leaseSeconds: leaseSeconds.optional() })),
  },
  responses: {
    201: json('Claimed. `Location` gives the path of the claim.', toldAbout),
    ...problemResponses(...onEveryRoute, ...onWriting, ...refusals),
  },
});

export const readClaim = createRoute({
  operationId: 'readClaim',
  method: 'get',
  path: '/claims/{id}',
  tags: ['Claims'],
  summary: 'Read a claim and the slots of its job',
  request: { params: idPath },
  responses: {
    200: json('The claim.', claimAndSlots),
    ...problemResponses(...onEveryRoute, claimNotFound),
  },
});

export const release = createRoute({
  operationId: 'releaseClaim',
  method: 'delete',
  path: '/claims/{id}',
  tags: ['Claims'],
  summary: 'Release a claim, which frees its slot',
  description:
    'This declines an offer. If somebody waits, the first in line gets an offer at once.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: {
    200: json('Released.', toldAbout),
    ...problemResponses(...onEveryRoute, ...onWriting, claimNotFound),
  },
});

export const renew = createRoute({
  operationId: 'renewClaim',
  method: 'post',
  path: '/claims/{id}/renew',
  tags: ['Claims'],
  summary: 'Renew the lease of a claim',
  description: 'This accepts an offer too.',
  parameters: [keyHeader],
  request: { params: idPath, body: jsonBody(fields({ leaseSeconds })) },
  responses: {
    200: json('Renewed.', toldAbout),
    ...problemResponses(...onEveryRoute, ...onWriting, claimNotFound, noLease),
  },
});

export const accept = createRoute({
  operationId: 'acceptOffer',
  method: 'post',
  path: '/claims/{id}/accept',
  tags: ['Waitlist'],
  summary: 'Accept an offer of the waitlist',
  description:
    'Afterwards the claim has no lease, or a lease of `leaseSeconds`. A claim that is accepted ' +
    'already stays as it is. `DELETE /claims/{id}` declines an offer.',
  parameters: [keyHeader],
  request: {
    params: idPath,
    body: jsonBody(fields({ leaseSeconds: leaseSeconds.optional() })),
  },
  responses: {
    200: json('Accepted.', toldAbout),
    ...problemResponses(...onEveryRoute, ...onWriting, claimNotFound),
  },
});

const claimList = z.object({ claims: z.array(claimAnswer), nextCursor });

export const listOfJob = createRoute({
  operationId: 'listClaimsOfJob',
  method: 'get',
  path: '/jobs/{jobId}/claims',
  tags: ['Claims'],
  summary: 'List the claims of a job',
  request: { params: jobId, query: pageQuery },
  responses: {
    200: json(
      'The claims of the job, oldest first.',
      z.object({ ...claimList.shape, ...slotsAnswer }),
    ),
    ...problemResponses(...onEveryRoute, answers['no-such-job']),
  },
});

export const listOfRecruiter = createRoute({
  operationId: 'listClaimsOfRecruiter',
  method: 'get',
  path: '/recruiters/{id}/claims',
  tags: ['Claims'],
  summary: 'List the claims of a recruiter',
  request: {
    params: idPath,
    query: pageQuery.extend({
      jobId: idsText(LARGEST_PAGE, 'Only claims of these jobs. Repeat the parameter for each job.'),
    }),
  },
  responses: {
    200: json('The claims of the recruiter, oldest first.', claimList),
    ...problemResponses(...onEveryRoute, answers['no-such-recruiter']),
  },
});
