import type { CallOptions, Delivery, DeliveryAttempt } from '../../../client/index.ts';
import { good, type Note, refusalInWords } from '../../parts/acts/notes.ts';
import { api } from '../../parts/api.ts';
import { dataOf } from '../../parts/insist.ts';
import type { Endpoint } from '../endpoints/api.ts';

export type { Delivery, DeliveryWithAttempts as WholeDelivery } from '../../../client/index.ts';
export type Attempted = DeliveryAttempt;
export type Status = Delivery['status'];

/** The number of deliveries on a page. */
const PAGE = 10;

export interface DeliveryFilter {
  endpointId: Endpoint['id'];
  /** Empty means every status. */
  status: '' | Status;
  /** The cursor where the page begins. Empty means the newest deliveries. */
  after: string;
}

export async function listDeliveries(
  { endpointId, status, after }: DeliveryFilter,
  options: CallOptions,
) {
  const args = {
    id: endpointId,
    limit: PAGE,
    ...(status && { status }),
    ...(after && { cursor: after }),
  };
  return dataOf(await api.listDeliveries(args, options));
}

export const readDelivery = async (id: Delivery['id'], options: CallOptions) =>
  dataOf(await api.readDelivery({ id }, options));

export async function resend({ id }: Delivery, onWait: () => void): Promise<Note> {
  const answer = await api.resendDelivery({ id }, { onWait });
  return answer.ok ? good('The message is sent again now.') : refusalInWords(answer);
}

export async function resendSince(
  endpointId: Endpoint['id'],
  since: Date,
  onWait: () => void,
): Promise<Note> {
  const args = { id: endpointId, since: since.toISOString() };
  const answer = await api.resendDeliveriesSince(args, { onWait });
  return answer.ok
    ? good('All messages since this time are sent again now.')
    : refusalInWords(answer);
}
