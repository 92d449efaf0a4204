import { z } from 'zod';
import type { Problem } from '../http/problem.ts';
import { idAnswer, idBody, instantAnswer, instantBody } from '../http/schemas.ts';
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryStatuses,
  type WholeDelivery,
} from './deliveries/queries.ts';
import { type Endpoint, MOST_ENDPOINTS } from './endpoints/endpoints.ts';
import { disablings, messageTypes } from './tables.ts';

export const endpointNotFound = {
  status: 404,
  code: 'endpoint-not-found',
  title: 'No such endpoint',
  detail: 'There is no endpoint with this id, or it was deleted.',
} as const satisfies Problem;

export const deliveryNotFound = {
  status: 404,
  code: 'delivery-not-found',
  title: 'No such delivery',
  detail: 'There is no delivery with this id, or it was cleared, or its endpoint was deleted.',
} as const satisfies Problem;

export const tooManyEndpoints = {
  status: 409,
  code: 'too-many-endpoints',
  title: 'Too many endpoints',
  detail: `A company has at most ${MOST_ENDPOINTS} endpoints. Nothing was changed.`,
} as const satisfies Problem;

export const endpointDisabled = {
  status: 409,
  code: 'endpoint-disabled',
  title: 'The endpoint is disabled',
  detail: 'Nothing is sent to a disabled endpoint. Enable the endpoint first.',
} as const satisfies Problem;

export const resendOpen = {
  status: 409,
  code: 'resend-open',
  title: 'A resend is open',
  detail:
    'An endpoint has at most one open resend of all its messages. Wait until the messages of the ' +
    'open resend are due. Then ask again.',
} as const satisfies Problem;

export const EXAMPLE_URL = 'http://localhost:4000/webhooks';

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
  pausedUntil: instantOrNull(
    'Nothing is sent before this time, because the receiver asked for a pause with 429 or 503 and ' +
      '`Retry-After`. Null if there is no pause now.',
  ),
  oldSecretUntil: instantOrNull(
    'Until this time the old secret also signs. Null if the secret was never rotated.',
  ),
  createdAt: instantAnswer,
};
export const endpointAnswer = z.object(endpointShape).meta({ id: 'Endpoint' });
export const secretAnswer = z
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
export const deliveryAnswer = z.object(deliveryShape).meta({ id: 'Delivery' });
export const wholeDelivery = z
  .object({
    ...deliveryShape,
    body: z.string().meta({ description: 'The body, exactly as it is sent.' }),
    attempts: z
      .array(attemptAnswer)
      .meta({ description: 'The latest 100 attempts, oldest first.' }),
  })
  .meta({ id: 'DeliveryWithAttempts' });

/** An endpoint as JSON. The secrets are left out. */
export const endpointBody = (endpoint: Endpoint) => ({
  id: idBody(endpoint.id),
  companyId: idBody(endpoint.companyId),
  url: endpoint.url,
  types: endpoint.types,
  description: endpoint.description,
  enabled: endpoint.enabled,
  disabledBecause: endpoint.disabledBecause,
  failingSince: instantBody(endpoint.failingSince),
  disablesAt: instantBody(endpoint.disablesAt),
  pausedUntil: instantBody(endpoint.pausedUntil),
  oldSecretUntil: instantBody(endpoint.oldSecretUntil),
  createdAt: endpoint.createdAt.toISOString(),
});

export const deliveryBody = (delivery: Delivery) => ({
  id: idBody(delivery.id),
  endpointId: idBody(delivery.endpointId),
  messageId: delivery.messageId,
  type: delivery.type,
  job: delivery.job && { id: delivery.job.id, role: delivery.job.role },
  status: delivery.status,
  createdAt: delivery.createdAt.toISOString(),
  deliveredAt: instantBody(delivery.deliveredAt),
  nextAttemptAt: instantBody(delivery.nextAttemptAt),
  attemptCount: delivery.attemptCount,
  lastAttempt: delivery.lastAttempt && attemptBody(delivery.lastAttempt),
});

/** A delivery with its body and its latest attempts as JSON. */
export const wholeDeliveryBody = (delivery: WholeDelivery) => ({
  ...deliveryBody(delivery),
  body: delivery.body,
  attempts: delivery.attempts.map(attemptBody),
});

const attemptBody = ({ at, milliseconds, status, detail }: DeliveryAttempt) => ({
  at: at.toISOString(),
  milliseconds,
  status,
  detail,
});
