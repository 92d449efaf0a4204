import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { companyNotFound } from '../../companies/routes.ts';
import { problemResponses } from '../../http/problem.ts';
import { onEveryRoute } from '../../http/problems.ts';
import {
  bodyText,
  fields,
  idPath,
  json,
  jsonBody,
  line,
  nextCursor,
  pageQuery,
} from '../../http/schemas.ts';
import { keyHeader, onWriting } from '../../idempotency/problems.ts';
import { messageTypes } from '../tables.ts';
import {
  EXAMPLE_URL,
  endpointAnswer,
  endpointNotFound,
  secretAnswer,
  tooManyEndpoints,
} from './answers.ts';

const LONGEST_URL = 2_000;
const LONGEST_DESCRIPTION = 200;

const url = bodyText
  // PostgreSQL cannot store NUL or half of a surrogate pair. Spaces and other invisible characters
  // mislead people who read the URL.
  .refine((text) => !/[\s\p{C}]/u.test(text), 'must have no spaces and no control characters')
  .max(LONGEST_URL, `must have at most ${LONGEST_URL} characters`)
  .meta({
    description:
      'Messages are sent to this address. `https` only, and only to public addresses. A server ' +
      'with `WEBHOOK_LOOPBACK=on` also accepts `http` to `localhost`.',
    example: EXAMPLE_URL,
  });
const allTypes = messageTypes.join(', ');
const typesError = `must be a list of one or more of ${allTypes}`;
const types = z
  .array(z.enum(messageTypes, `must be one of ${allTypes}`), typesError)
  .min(1, typesError)
  .max(messageTypes.length, typesError)
  .refine((list) => new Set(list).size === list.length, 'must name each type once')
  .meta({
    description: 'The types of messages that the endpoint gets.',
    example: ['claim.created', 'job.full'],
  });
const description = z
  .union([z.literal(''), line(LONGEST_DESCRIPTION, 'Our applicant tracking system')], {
    error: `must be one line of printable text with at most ${LONGEST_DESCRIPTION} characters`,
  })
  .meta({ description: 'A note for people.', example: 'Our applicant tracking system' });

const TAGS = ['Webhooks'];
const changed = {
  200: json('The endpoint after the change.', endpointAnswer),
  ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound),
};

export const createEndpoint = createRoute({
  operationId: 'createEndpoint',
  method: 'post',
  path: '/companies/{id}/endpoints',
  tags: TAGS,
  summary: 'Add an endpoint to a company',
  parameters: [keyHeader],
  request: {
    params: idPath,
    body: jsonBody(
      fields({
        url,
        types: types.optional().meta({ description: 'By default all types that exist today.' }),
        description: description.optional(),
      }),
    ),
  },
  responses: {
    201: json('The endpoint with its secret. `Location` gives its path.', secretAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, companyNotFound, tooManyEndpoints),
  },
});

export const listEndpoints = createRoute({
  operationId: 'listEndpoints',
  method: 'get',
  path: '/companies/{id}/endpoints',
  tags: TAGS,
  summary: 'List the endpoints of a company',
  request: { params: idPath, query: pageQuery },
  responses: {
    200: json(
      'Endpoints in the order of their ids.',
      z.object({ endpoints: z.array(endpointAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute, companyNotFound),
  },
});

export const readEndpoint = createRoute({
  operationId: 'readEndpoint',
  method: 'get',
  path: '/endpoints/{id}',
  tags: TAGS,
  summary: 'Read an endpoint',
  request: { params: idPath },
  responses: {
    200: json('The endpoint.', endpointAnswer),
    ...problemResponses(...onEveryRoute, endpointNotFound),
  },
});

export const changeEndpoint = createRoute({
  operationId: 'changeEndpoint',
  method: 'patch',
  path: '/endpoints/{id}',
  tags: TAGS,
  summary: "Change an endpoint's address, types or description",
  parameters: [keyHeader],
  request: {
    params: idPath,
    body: jsonBody(
      fields({
        url: url.optional(),
        types: types.optional(),
        description: description.optional(),
      })
        .refine((change) => Object.keys(change).length > 0, 'changes nothing')
        .meta({ minProperties: 1 }),
    ),
  },
  responses: changed,
});

export const deleteEndpoint = createRoute({
  operationId: 'deleteEndpoint',
  method: 'delete',
  path: '/endpoints/{id}',
  tags: TAGS,
  summary: 'Delete an endpoint',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: {
    200: json('The endpoint as it was.', endpointAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound),
  },
});

export const rotateSecret = createRoute({
  operationId: 'rotateSecret',
  method: 'post',
  path: '/endpoints/{id}/rotate-secret',
  tags: TAGS,
  summary: 'Give an endpoint a new secret',
  description:
    'The old secret and the new secret both sign for a day. An even older secret stops at once.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: {
    200: json('The endpoint with its new secret.', secretAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound),
  },
});

export const enableEndpoint = createRoute({
  operationId: 'enableEndpoint',
  method: 'post',
  path: '/endpoints/{id}/enable',
  tags: TAGS,
  summary: 'Enable an endpoint',
  description: 'The endpoint gets the events that come from now on.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: changed,
});

export const disableEndpoint = createRoute({
  operationId: 'disableEndpoint',
  method: 'post',
  path: '/endpoints/{id}/disable',
  tags: TAGS,
  summary: 'Disable an endpoint',
  description:
    'The endpoint gets no messages for the events that come from now on. A waiting delivery ' +
    'fails when its next attempt is due.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: changed,
});
