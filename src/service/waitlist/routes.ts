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
} from '../http/schemas.ts';
import { keyHeader, onWriting } from '../idempotency/problems.ts';
import { refusals } from './answers.ts';

/** Longer lines help nobody. Each join counts the line, so this limit also limits its work. */
const LONGEST_LINE = 1_000;
/** Six days, as for the setting OFFER_MINUTES. */
const LONGEST_OFFER_MINUTES = 6 * 24 * 60;

const tags = ['Waitlist'];
const ofJob = z.object({ jobId: idText });
const ofRecruiter = z.object({ jobId: idText, recruiterId: idText });

const entryAnswer = z
  .object({
    jobId: idAnswer,
    recruiterId: idAnswer,
    recruiterName: z.string().meta({ example: 'Amara Abbott' }),
    joinedAt: instantAnswer,
    place: z.int().min(1).nullable().meta({
      description: '1 for the next recruiter. Null for a recruiter who has an offer.',
      example: 1,
    }),
    offer: z
      .object({
        claimId: idAnswer,
        expiresAt: instantAnswer.nullable(),
      })
      .nullable()
      .meta({
        description:
          'The offered claim, and the end of the offer. Accept it with ' +
          '`POST /claims/{id}/accept`. Null while the recruiter waits.',
        example: null,
      }),
  })
  .meta({ id: 'WaitlistEntry' });

const waiting = z.int().min(0).meta({
  description: 'How many recruiters wait for the job. Those with an offer do not count.',
  example: 3,
});

const longestError = `must be a whole number from 0 to ${LONGEST_LINE}`;
const minutesError = `must be a whole number from 1 to ${LONGEST_OFFER_MINUTES}`;
const settings = {
  longest: z
    .int(longestError)
    .min(0, longestError)
    .max(LONGEST_LINE, longestError)
    .meta({ description: 'How many recruiters may wait. 0 closes the waitlist.', example: 100 }),
  offerMinutes: z
    .int(minutesError)
    .min(1, minutesError)
    .max(LONGEST_OFFER_MINUTES, minutesError)
    .meta({ description: 'How long an offer lasts, in minutes.', example: 15 }),
  auto: z.boolean('must be true or false').meta({
    description: 'If true, the first in line gets a claim without being asked.',
    example: false,
  }),
};
const settingsAnswer = z.object(settings).meta({ id: 'WaitlistSettings' });
const settingsBody = fields({
  longest: settings.longest.optional(),
  offerMinutes: settings.offerMinutes.optional(),
  auto: settings.auto.optional(),
})
  .refine((change) => Object.keys(change).length > 0, 'changes nothing')
  .meta({ minProperties: 1 });

const inLine = z.object({
  message: z.string().meta({ example: 'You are in line' }),
  /** Null if the job gives slots without asking, and a slot was free. */
  entry: entryAnswer.nullable().meta({
    description: 'Null if the recruiter got a claim at once, because the job does not ask.',
  }),
  waiting,
});

export const join = createRoute({
  operationId: 'joinWaitlist',
  method: 'post',
  path: '/jobs/{jobId}/waitlist',
  tags,
  summary: 'Join the waitlist of a job',
  description:
    'The first in line gets an offer as soon as a slot is free. If a slot is free now and nobody ' +
    'waits, the recruiter gets an offer at once. A recruiter who joins again keeps the place.',
  parameters: [keyHeader],
  request: { params: ofJob, body: jsonBody(fields({ recruiterId: idValue })) },
  responses: {
    200: json('In line, or in line already.', inLine),
    ...problemResponses(
      ...onEveryRoute,
      ...onWriting,
      refusals['already-claimed'],
      refusals['waitlist-closed'],
      refusals['waitlist-full'],
      refusals['too-many-lines'],
      refusals['no-such-job'],
      refusals['no-such-recruiter'],
    ),
  },
});

export const leave = createRoute({
  operationId: 'leaveWaitlist',
  method: 'delete',
  path: '/jobs/{jobId}/waitlist/{recruiterId}',
  tags,
  summary: 'Leave the waitlist of a job',
  description: 'This declines an offer.',
  parameters: [keyHeader],
  request: { params: ofRecruiter },
  responses: {
    200: json(
      'Left.',
      z.object({ message: z.string().meta({ example: 'You have left the line' }) }),
    ),
    ...problemResponses(...onEveryRoute, ...onWriting, refusals['not-in-line']),
  },
});

export const read = createRoute({
  operationId: 'readPlaceInLine',
  method: 'get',
  path: '/jobs/{jobId}/waitlist/{recruiterId}',
  tags,
  summary: "Read a recruiter's place in the line of a job",
  request: { params: ofRecruiter },
  responses: {
    200: json('The place, or the offer.', z.object({ entry: entryAnswer, waiting })),
    ...problemResponses(...onEveryRoute, refusals['not-in-line']),
  },
});

export const list = createRoute({
  operationId: 'listWaitlist',
  method: 'get',
  path: '/jobs/{jobId}/waitlist',
  tags,
  summary: 'List the line of a job, and its settings',
  request: { params: ofJob, query: pageQuery },
  responses: {
    200: json(
      'The recruiters who wait or have an offer, in the order of joining.',
      z.object({
        entries: z.array(entryAnswer),
        nextCursor,
        waiting,
        settings: settingsAnswer,
      }),
    ),
    ...problemResponses(...onEveryRoute, refusals['no-such-job']),
  },
});

export const change = createRoute({
  operationId: 'changeWaitlist',
  method: 'patch',
  path: '/jobs/{jobId}/waitlist',
  tags,
  summary: 'Change the settings of a waitlist',
  description: 'The settings also hold for those who wait already.',
  parameters: [keyHeader],
  request: { params: ofJob, body: jsonBody(settingsBody) },
  responses: {
    200: json('The settings.', settingsAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, refusals['no-such-job']),
  },
});

export const listOfRecruiter = createRoute({
  operationId: 'listWaitlistsOfRecruiter',
  method: 'get',
  path: '/recruiters/{id}/waitlist',
  tags,
  summary: 'List the lines in which a recruiter waits or has an offer',
  request: {
    params: idPath,
    query: pageQuery.extend({
      jobId: idsText(LARGEST_PAGE, 'Only these jobs. Repeat the parameter for each job.'),
    }),
  },
  responses: {
    200: json(
      'The lines, in the order of joining.',
      z.object({ entries: z.array(entryAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute, refusals['no-such-recruiter']),
  },
});
