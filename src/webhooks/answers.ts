import type { Problem } from '../http/problem.ts';
import { idBody } from '../http/schemas.ts';
import type { Delivery, DeliveryAttempt, WholeDelivery } from './deliveries.ts';
import type { Endpoint } from './endpoints.ts';

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
  detail: 'A company has at most 10 endpoints. Nothing was changed.',
} as const satisfies Problem;

export const endpointDisabled = {
  status: 409,
  code: 'endpoint-disabled',
  title: 'The endpoint is disabled',
  detail: 'Nothing is sent to a disabled endpoint. Enable the endpoint first.',
} as const satisfies Problem;

/** An endpoint as JSON. The secrets are left out. */
export const endpointBody = (endpoint: Endpoint) => ({
  id: idBody(endpoint.id),
  companyId: idBody(endpoint.companyId),
  url: endpoint.url,
  types: endpoint.types,
  description: endpoint.description,
  enabled: endpoint.enabled,
  disabledBecause: endpoint.disabledBecause,
  failingSince: instantOrNull(endpoint.failingSince),
  disablesAt: instantOrNull(endpoint.disablesAt),
  oldSecretUntil: instantOrNull(endpoint.oldSecretUntil),
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
  deliveredAt: instantOrNull(delivery.deliveredAt),
  nextAttemptAt: instantOrNull(delivery.nextAttemptAt),
  attemptCount: delivery.attemptCount,
  lastAttempt: delivery.lastAttempt && attemptBody(delivery.lastAttempt),
});

/** A delivery with its body and all its attempts as JSON. */
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

const instantOrNull = (at: Date | null) => at?.toISOString() ?? null;
