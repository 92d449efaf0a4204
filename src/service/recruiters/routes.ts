import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { answers } from '../claims/answers.ts';
import { problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import {
  idPath,
  json,
  jsonBody,
  namedAnswer,
  namedQuery,
  newNamed,
  nextCursor,
} from '../http/schemas.ts';
import { keyHeader, onWriting } from '../idempotency/problems.ts';

const recruiterAnswer = namedAnswer('Recruiter', 'Amara Abbott');

export const createRecruiter = createRoute({
  operationId: 'createRecruiter',
  method: 'post',
  path: '/recruiters',
  tags: ['Recruiters'],
  summary: 'Add a recruiter',
  parameters: [keyHeader],
  request: { body: jsonBody(newNamed('Amara Abbott')) },
  responses: {
    201: json('The recruiter. `Location` gives its path.', recruiterAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting),
  },
});

export const listRecruiters = createRoute({
  operationId: 'listRecruiters',
  method: 'get',
  path: '/recruiters',
  tags: ['Recruiters'],
  summary: 'List recruiters',
  request: { query: namedQuery },
  responses: {
    200: json(
      'Recruiters in the order of their ids.',
      z.object({ recruiters: z.array(recruiterAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute),
  },
});

export const readRecruiter = createRoute({
  operationId: 'readRecruiter',
  method: 'get',
  path: '/recruiters/{id}',
  tags: ['Recruiters'],
  summary: 'Read a recruiter',
  request: { params: idPath },
  responses: {
    200: json('The recruiter.', recruiterAnswer),
    ...problemResponses(...onEveryRoute, answers['no-such-recruiter']),
  },
});
