import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { type Problem, problemResponses } from '../http/problem.ts';
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

export const companyNotFound = {
  status: 404,
  code: 'company-not-found',
  title: 'No such company',
  detail: 'There is no company with this id.',
} as const satisfies Problem;

const companyAnswer = namedAnswer('Company', 'Harbour Analytics');

export const createCompany = createRoute({
  operationId: 'createCompany',
  method: 'post',
  path: '/companies',
  tags: ['Companies'],
  summary: 'Add a company',
  parameters: [keyHeader],
  request: { body: jsonBody(newNamed('Harbour Analytics')) },
  responses: {
    201: json('The company. `Location` gives its path.', companyAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting),
  },
});

export const listCompanies = createRoute({
  operationId: 'listCompanies',
  method: 'get',
  path: '/companies',
  tags: ['Companies'],
  summary: 'List companies',
  request: { query: namedQuery },
  responses: {
    200: json(
      'Companies in the order of their ids.',
      z.object({ companies: z.array(companyAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute),
  },
});

export const readCompany = createRoute({
  operationId: 'readCompany',
  method: 'get',
  path: '/companies/{id}',
  tags: ['Companies'],
  summary: 'Read a company',
  request: { params: idPath },
  responses: {
    200: json('The company.', companyAnswer),
    ...problemResponses(...onEveryRoute, companyNotFound),
  },
});
