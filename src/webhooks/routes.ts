import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { companyNotFound } from '../companies/routes.ts';
import { keyHeader, onWriting } from '../http/idempotency/problems.ts';
import { problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import {
  fields,
  idText,
  instantAnswer,
  json,
  jsonBody,
  line,
  nextCursor,
  pageQuery,
} from '../http/schemas.ts';
import {
  deliveryAnswer,
  deliveryNotFound,
  EXAMPLE_URL,
  endpointAnswer,
  endpointDisabled,
  endpointNotFound,
  resendOpen,
  secretAnswer,
  tooManyEndpoints,
  wholeDelivery,
} from './answers.ts';
import { deliveryStatuses } from './deliveries/queries.ts';
import { messageTypes } from './tables.ts';

const LONGEST_URL = 2_000;
const LONGEST_DESCRIPTION = 200;

const url = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
  // PostgreSQL stores no NUL and no half of a character. Other such characters mislead readers.
  .refine((text) => !/[\s\p{C}]/u.test(text), 'must have no spaces and no control characters')
  .max(LONGEST_URL, `must have at most ${LONGEST_URL} characters`)
  .meta({
    description:
      'Messages are sent to this address. `https` only, and only to public addresses. A server ' +
      'with `WEBHOOK_LOOPBACK=on` also accepts `http` to `localhost`.',
    example: EXAMPLE_URL,
  });
const typesError = `must be a list of one or more of ${messageTypes.join(', ')}`;
const types = z
  .array(z.enum(messageTypes, typesError), typesError)
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

const EARLIEST = Date.UTC(1970, 0);
const TOO_LATE = Date.UTC(10_000, 0);
const since = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
  .pipe(z.iso.datetime({ offset: true, error: 'must be a time, such as 2026-11-21T09:00:00Z' }))
  .transform((text) => new Date(text))
  // PostgreSQL knows no year 0. It cannot read how JSON writes a year after 9999.
  .refine(
    (at) => at.getTime() >= EARLIEST && at.getTime() < TOO_LATE,
    'must be in the years 1970 to 9999',
  )
  .meta({
    type: 'string',
    format: 'date-time',
    description: 'The time of the oldest message.',
    example: '2026-11-21T09:00:00.000Z',
  });

const id = z.object({ id: idText });
const TAGS = ['Webhooks'];

export const createEndpoint = createRoute({
  operationId: 'createEndpoint',
  method: 'post',
  path: '/companies/{id}/endpoints',
  tags: TAGS,
  summary: 'Add an endpoint to a company',
  parameters: [keyHeader],
  request: {
    params: id,
    body: jsonBody(
      fields({
        url,
        types: types.optional().meta({ description: 'By default all types.' }),
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
  request: { params: id, query: pageQuery },
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
  request: { params: id },
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
    params: id,
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
  responses: {
    200: json('The endpoint after the change.', endpointAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound),
  },
});

export const deleteEndpoint = createRoute({
  operationId: 'deleteEndpoint',
  method: 'delete',
  path: '/endpoints/{id}',
  tags: TAGS,
  summary: 'Delete an endpoint',
  parameters: [keyHeader],
  request: { params: id },
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
  request: { params: id },
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
  request: { params: id },
  responses: {
    200: json('The endpoint after the change.', endpointAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound),
  },
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
  request: { params: id },
  responses: {
    200: json('The endpoint after the change.', endpointAnswer),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound),
  },
});

export const testEndpoint = createRoute({
  operationId: 'testEndpoint',
  method: 'post',
  path: '/endpoints/{id}/test',
  tags: TAGS,
  summary: 'Send a test message to an endpoint',
  description: 'The message has the type `endpoint.test`. Every endpoint gets this type.',
  parameters: [keyHeader],
  request: { params: id },
  responses: {
    201: json('The delivery of the message. `Location` gives its path.', wholeDelivery),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound, endpointDisabled),
  },
});

export const resendSince = createRoute({
  operationId: 'resendDeliveriesSince',
  method: 'post',
  path: '/endpoints/{id}/resend',
  tags: TAGS,
  summary: 'Send all messages since a time again',
  description:
    'Sends every message that was made since this time again, delivered or not. The messages ' +
    'keep their `webhook-id`, so a receiver can drop the messages that it knows. An endpoint has ' +
    'at most one open resend of all its messages. A resend ends when its last message is due.',
  parameters: [keyHeader],
  request: { params: id, body: jsonBody(fields({ since })) },
  responses: {
    202: json('The messages are sent in the background.', z.object({ since: instantAnswer })),
    ...problemResponses(
      ...onEveryRoute,
      ...onWriting,
      endpointNotFound,
      endpointDisabled,
      resendOpen,
    ),
  },
});

export const listDeliveries = createRoute({
  operationId: 'listDeliveries',
  method: 'get',
  path: '/endpoints/{id}/deliveries',
  tags: TAGS,
  summary: 'List the deliveries to an endpoint',
  request: {
    params: id,
    query: pageQuery.extend({
      status: z
        .enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`)
        .optional()
        .meta({ description: 'Only deliveries with this status.' }),
    }),
  },
  responses: {
    200: json(
      'The deliveries, newest first.',
      z.object({ deliveries: z.array(deliveryAnswer), nextCursor }),
    ),
    ...problemResponses(...onEveryRoute, endpointNotFound),
  },
});

export const readDelivery = createRoute({
  operationId: 'readDelivery',
  method: 'get',
  path: '/deliveries/{id}',
  tags: TAGS,
  summary: 'Read a delivery and its attempts',
  request: { params: id },
  responses: {
    200: json('The delivery.', wholeDelivery),
    ...problemResponses(...onEveryRoute, deliveryNotFound),
  },
});

export const resendDelivery = createRoute({
  operationId: 'resendDelivery',
  method: 'post',
  path: '/deliveries/{id}/resend',
  tags: TAGS,
  summary: 'Send a message again',
  description: 'The message is due at once, delivered or not. It keeps its `webhook-id`.',
  parameters: [keyHeader],
  request: { params: id },
  responses: {
    200: json('The delivery after the change.', wholeDelivery),
    ...problemResponses(...onEveryRoute, ...onWriting, deliveryNotFound, endpointDisabled),
  },
});
