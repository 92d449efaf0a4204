import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { problemResponses } from '../../http/problem.ts';
import { onEveryRoute } from '../../http/problems.ts';
import {
  bodyText,
  fields,
  idPath,
  instantAnswer,
  json,
  jsonBody,
  nextCursor,
  pageQuery,
} from '../../http/schemas.ts';
import { keyHeader, onWriting } from '../../idempotency/problems.ts';
import { endpointDisabled, endpointNotFound } from '../endpoints/answers.ts';
import { deliveryAnswer, deliveryNotFound, resendOpen, wholeDelivery } from './answers.ts';
import { deliveryStatuses } from './queries.ts';

const EARLIEST = Date.UTC(1970, 0);
const TOO_LATE = Date.UTC(10_000, 0);
const since = bodyText
  .pipe(z.iso.datetime({ offset: true, error: 'must be a time, such as 2026-11-21T09:00:00Z' }))
  .transform((text) => new Date(text))
  // PostgreSQL knows no year 0. It also cannot read a year after 9999 in the form that JSON uses.
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

const TAGS = ['Webhooks'];

export const testEndpoint = createRoute({
  operationId: 'testEndpoint',
  method: 'post',
  path: '/endpoints/{id}/test',
  tags: TAGS,
  summary: 'Send a test message to an endpoint',
  description: 'The message has the type `endpoint.test`. Every endpoint gets this type.',
  parameters: [keyHeader],
  request: { params: idPath },
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
  request: { params: idPath, body: jsonBody(fields({ since })) },
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
    params: idPath,
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
  request: { params: idPath },
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
  description:
    'The message is due at once, delivered or not. If the endpoint pauses, the message is due at the ' +
    'end of the pause. The message keeps its `webhook-id`.',
  parameters: [keyHeader],
  request: { params: idPath },
  responses: {
    200: json('The delivery after the change.', wholeDelivery),
    ...problemResponses(...onEveryRoute, ...onWriting, deliveryNotFound, endpointDisabled),
  },
});
