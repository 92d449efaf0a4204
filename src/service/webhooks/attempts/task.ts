import { laneOf } from '../endpoints/lane.ts';
import { ATTEMPTS } from './rules.ts';

/** The kind of task that delivers a message. */
export const DELIVERING = 'webhook';

export interface DeliveringPayload {
  deliveryId: string;
}

/**
 * Makes a task that delivers a message. Each endpoint has a separate lane, so no endpoint delays
 * the others.
 */
export const deliveringTask = (delivery: { id: bigint; endpointId: bigint }) => ({
  kind: DELIVERING,
  lane: laneOf(delivery.endpointId),
  payload: { deliveryId: String(delivery.id) } satisfies DeliveringPayload,
  attempts: ATTEMPTS,
});
