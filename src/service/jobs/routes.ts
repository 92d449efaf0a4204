import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { answers } from '../claims/answers.ts';
import { companyNotFound } from '../companies/routes.ts';
import { type Problem, problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import {
  fields,
  idAnswer,
  idPath,
  idText,
  idValue,
  instantAnswer,
  json,
  jsonBody,
  line,
  nextCursor,
  pageQuery,
  slotsAnswer,
} from '../http/schemas.ts';
import { searchText } from '../http/search.ts';
import { keyHeader, onWriting } from '../idempotency/problems.ts';
import { eventKinds } from '../outbox/tables.ts';

/**
 * The maximum capacity of a job. No job needs more slots. Each claim counts the other claims of its
 * job, so this limit also limits the work of a claim.
 */
const LARGEST_CAPACITY = 1_000;
const LONGEST_ROLE = 200;

export const capacityTooLow = {
  status: 409,
  code: 'capacity-too-low',
  title: 'More slots are claimed than that',
  detail: 'The capacity must not be lower than the number of claims. Nothing was changed.',
} as const satisfies Problem;

const role = line(LONGEST_ROLE, 'Site Reliability Engineer');
const capacityError = `must be a whole number from 1 to ${LARGEST_CAPACITY}`;
const capacity = z
  .int(capacityError)
  .min(1, capacityError)
  .max(LARGEST_CAPACITY, capacityError)
  .meta({ description: 'How many recruiters may claim the job.', example: 4 });

export const jobAnswer = z
  .object({
    id: idAnswer,
    company: z.object({ id: idAnswer, name: z.string().meta({ example: 'Harbour Analytics' }) }),
    role: z.string().meta({ example: 'Site Reliability Engineer' }),
    createdAt: instantAnswer,
    ...slotsAnswer,
  })
  .meta({ id: 'Job' });

export const createJob = createRoute({
  operationId: 'createJob',
  method: 'post',
  path: '/jobs',
  tags: ['Jobs'],
  summary: 'Post a job',
  parameters: [keyHeader],
  request: {
    body: jsonBody(fields({ companyId: idValue, role, capacity: capacity.optional() })),
  },
  responses: {
    201: json('The job. `Location` gives its path.', jobAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, companyNotFound),
  },
});

export const listJobs = createRoute({
  operationId: 'listJobs',
  method: 'get',
  path: '/jobs',
  tags: ['Jobs'],
  summary: 'List jobs',
  request: {
    query: pageQuery.extend({
      status: z.enum(['open', 'full'], 'must be open or full').optional().meta({
        description: '`open`: only jobs with a free slot. `full`: only jobs without a free slot.',
      }),
      companyId: idText.optional().meta({ description: 'Only jobs of this company.' }),
      q: searchText.meta({
        description:
          'Only jobs that match all given words. A given word matches if a word of ' +
          'the role or of the company begins with it. `harb engineer` finds an Engineer of ' +
          'Harbour Analytics.',
        example: 'engineer',
      }),
    }),
  },
  responses: {
    200: json(
      'Jobs in the order of their ids.',
      z.object({ jobs: z.array(jobAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute),
  },
});

export const readJob = createRoute({
  operationId: 'readJob',
  method: 'get',
  path: '/jobs/{id}',
  tags: ['Jobs'],
  summary: 'Read a job and its slots',
  request: { params: idPath },
  responses: {
    200: json('The job.', jobAnswer),
    ...problemResponses(...onEveryRoute, answers['no-such-job']),
  },
});

export const changeJob = createRoute({
  operationId: 'changeJob',
  method: 'patch',
  path: '/jobs/{id}',
  tags: ['Jobs'],
  summary: "Change a job's role or capacity",
  parameters: [keyHeader],
  request: {
    params: idPath,
    body: jsonBody(
      fields({ role: role.optional(), capacity: capacity.optional() })
        .refine((change) => Object.keys(change).length > 0, 'changes nothing')
        .meta({ minProperties: 1 }),
    ),
  },
  responses: {
    200: json('The job after the change.', jobAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, answers['no-such-job'], capacityTooLow),
  },
});

const eventAnswer = z
  .object({
    number: z.int().min(1).meta({
      description: "The sequence number among the job's events, without gaps.",
      example: 2,
    }),
    kind: z.enum(eventKinds).meta({
      description:
        '`resized`: the capacity changed. `changed`: the role or the company changed. `expired`: ' +
        'the lease of a claim ended, and its slot was freed. `joined` and `left`: a recruiter ' +
        'joined or left the line. `offered`: the first in line got an offer, which was then ' +
        '`accepted`, `declined` or `lapsed`.',
      example: 'claimed',
    }),
    at: instantAnswer,
    claimId: idAnswer.nullable().meta({ description: 'Null if the event is about no claim.' }),
    recruiterId: idAnswer
      .nullable()
      .meta({ description: 'The recruiter of the claim, or the recruiter who joined or left.' }),
    expiresAt: instantAnswer.nullable().meta({ description: "The end of the claim's lease." }),
    role: z.string().meta({ example: 'Site Reliability Engineer' }),
    ...slotsAnswer,
    waiting: z.int().min(0).nullable().meta({
      description:
        'How many recruiters wait for the job. Null for events of servers without waitlists.',
      example: 0,
    }),
  })
  .meta({
    id: 'Event',
    description: 'The role, the slots and the line are those after the event.',
  });

export const listEvents = createRoute({
  operationId: 'listEventsOfJob',
  method: 'get',
  path: '/jobs/{id}/events',
  tags: ['Jobs'],
  summary: "List a job's events",
  description:
    'The history of a job, for its company and for admins. The history of a removed job stays. ' +
    'Old events are removed after some days, except the newest event of a job.',
  request: { params: idPath, query: pageQuery },
  responses: {
    200: json('Events, oldest first.', z.object({ events: z.array(eventAnswer), nextCursor })),
    ...problemResponses(...onEveryRoute, answers['no-such-job']),
  },
});
