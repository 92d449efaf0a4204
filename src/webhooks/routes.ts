import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { companyNotFound } from '../companies/routes.ts';
import { keyHeader, onWriting } from '../http/idempotency/problems.ts';
import { problemResponses } from '../http/problem.ts';
import { onEveryRoute } from '../http/problems.ts';
import {
  fields,
  idAnswer,
  idText,
  instantAnswer,
  json,
  jsonBody,
  line,
  nextCursor,
  pageQuery,
} from '../http/schemas.ts';
import {
  deliveryNotFound,
  endpointDisabled,
  endpointNotFound,
  tooManyEndpoints,
} from './answers.ts';
import { deliveryStatuses } from './deliveries.ts';
import { disablings, messageTypes } from './tables.ts';

const LONGEST_URL = 2_000;
const LONGEST_DESCRIPTION = 200;

const EXAMPLE_URL = 'http://localhost:4000/webhooks';

const url = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
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
const since = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
  .pipe(z.iso.datetime({ offset: true, error: 'must be a time, such as 2026-11-21T09:00:00Z' }))
  .transform((text) => new Date(text))
  // PostgreSQL knows no year 0.
  .refine((at) => at.getTime() >= EARLIEST, 'must not be before 1970')
  .meta({
    type: 'string',
    format: 'date-time',
    description: 'The time of the oldest message.',
    example: '2026-11-21T09:00:00.000Z',
  });

const instantOrNull = (description: string) =>
  instantAnswer.nullable().meta({ description, example: null });

const endpointShape = {
  id: idAnswer,
  companyId: idAnswer,
  url: z.string().meta({ example: EXAMPLE_URL }),
  types: z.array(z.enum(messageTypes)),
  description: z.string().meta({ example: 'Our applicant tracking system' }),
  enabled: z.boolean().meta({ description: 'A disabled endpoint gets no messages.' }),
  disabledBecause: z
    .enum(disablings)
    .nullable()
    .meta({
      description:
        'Why the service disabled the endpoint. `gone`: the endpoint answered 410. `failing`: no ' +
        'delivery has succeeded for five days. Null if the endpoint is enabled, or if a person ' +
        'disabled the endpoint.',
      example: null,
    }),
  failingSince: instantOrNull(
    'The first failure since the latest success. Null if there was no failure since then.',
  ),
  disablesAt: instantOrNull(
    'The next failure after this time disables the endpoint. Null if no attempt fails now.',
  ),
  oldSecretUntil: instantOrNull(
    'Until this time the old secret also signs. Null if the secret was never rotated.',
  ),
  createdAt: instantAnswer,
};
const endpointAnswer = z.object(endpointShape).meta({ id: 'Endpoint' });
const secretAnswer = z
  .object({
    ...endpointShape,
    secret: z.string().meta({
      description: 'The secret that signs the messages. No other answer shows the secret.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'EndpointWithSecret' });

const attemptAnswer = z
  .object({
    at: instantAnswer,
    milliseconds: z.int().meta({ description: 'The time until the answer or the failure.' }),
    status: z.int().nullable().meta({
      description: 'The status of the answer. Null if no answer came.',
      example: 200,
    }),
    detail: z.string().meta({
      description: "The first line of the answer's body, or the reason why no answer came.",
      example: 'ok',
    }),
  })
  .meta({ id: 'DeliveryAttempt' });
const deliveryShape = {
  id: idAnswer,
  endpointId: idAnswer,
  messageId: z.string().meta({
    description: 'The header `webhook-id`. Repeats of the message have the same id.',
    example: 'msg_6e42aa7d6b144d45a4ea2c2d5b2c0c0e',
  }),
  type: z.string().meta({ description: 'The type of the message.', example: 'claim.created' }),
  job: z
    .object({ id: idAnswer, role: z.string().meta({ example: 'Site Reliability Engineer' }) })
    .nullable()
    .meta({ description: 'The job that the message is about. Null for a test message.' }),
  status: z.enum(deliveryStatuses).meta({
    description:
      '`waiting`: an attempt runs or follows. `delivered`: the receiver answered with success. ' +
      '`failed`: no attempt follows.',
  }),
  createdAt: instantAnswer,
  deliveredAt: instantOrNull('When the latest send succeeded. Null if it has not succeeded.'),
  nextAttemptAt: instantOrNull('When the next attempt is due. Null if no attempt follows.'),
  attemptCount: z.int().min(0).meta({ example: 1 }),
  lastAttempt: attemptAnswer.nullable().meta({ description: 'Null before the first attempt.' }),
};
const deliveryAnswer = z.object(deliveryShape).meta({ id: 'Delivery' });
const wholeDelivery = z
  .object({
    ...deliveryShape,
    body: z.string().meta({ description: 'The body, exactly as it is sent.' }),
    attempts: z.array(attemptAnswer).meta({ description: 'The attempts, oldest first.' }),
  })
  .meta({ id: 'DeliveryWithAttempts' });

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
    'The old secret and the new secret both sign for a day. A secret from before the old secret ' +
    'stops at once.',
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
    'keep their `webhook-id`, so a receiver can drop the messages that it knows.',
  parameters: [keyHeader],
  request: { params: id, body: jsonBody(fields({ since })) },
  responses: {
    202: json('The messages are sent in the background.', z.object({ since: instantAnswer })),
    ...problemResponses(...onEveryRoute, ...onWriting, endpointNotFound, endpointDisabled),
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
  summary: 'Read a delivery and all its attempts',
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
