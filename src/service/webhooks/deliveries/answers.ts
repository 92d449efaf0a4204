import { z } from 'zod';
import type { Problem } from '../../http/problem.ts';
import { idAnswer, idBody, instantAnswer, instantBody } from '../../http/schemas.ts';
import { instantOrNull } from '../endpoints/answers.ts';
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryStatuses,
  type WholeDelivery,
} from './queries.ts';

export const deliveryNotFound = {
  status: 404,
  code: 'delivery-not-found',
  title: 'No such delivery',
  detail: 'There is no delivery with this id, or it was cleared, or its endpoint was deleted.',
} as const satisfies Problem;

export const resendOpen = {
  status: 409,
  code: 'resend-open',
  title: 'A resend is open',
  detail:
    'An endpoint has at most one open resend of all its messages. Wait until the messages of the ' +
    'open resend are due. Then ask again.',
} as const satisfies Problem;

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

/** Returns a delivery as JSON, with its body and its latest attempts. */
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
