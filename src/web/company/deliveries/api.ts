import type { InferResponseType } from 'hono/client';
import { good, type Note, refusalInWords, unknownOutcome } from '../../parts/acts/notes.ts';
import { api } from '../../parts/api.ts';
import { Refused } from '../../parts/insist.ts';
import { writePatiently } from '../../parts/patiently.ts';
import type { Endpoint } from '../endpoints/api.ts';

export type WholeDelivery = InferResponseType<(typeof api.deliveries)[':id']['$get'], 200>;
type ListDeliveries = (typeof api.endpoints)[':id']['deliveries']['$get'];
type DeliveryPage = InferResponseType<ListDeliveries, 200>;
export type Delivery = DeliveryPage['deliveries'][number];
export type Attempted = WholeDelivery['attempts'][number];
export type Status = Delivery['status'];

/** How many deliveries a page holds. */
const PAGE = 10;

export interface DeliveryFilter {
  endpointId: Endpoint['id'];
  /** Empty means all. */
  status: '' | Status;
  /** The cursor where the page begins. Empty means the newest deliveries. */
  after: string;
}

export async function listDeliveries(
  { endpointId, status, after }: DeliveryFilter,
  signal: AbortSignal,
): Promise<DeliveryPage> {
  const param = { id: String(endpointId) };
  const query = {
    limit: String(PAGE),
    ...(status && { status }),
    ...(after && { cursor: after }),
  };
  const answer = await api.endpoints[':id'].deliveries.$get({ param, query }, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return answer.json();
}

export async function readDelivery(
  id: Delivery['id'],
  signal: AbortSignal,
): Promise<WholeDelivery> {
  const param = { id: String(id) };
  const answer = await api.deliveries[':id'].$get({ param }, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return answer.json();
}

export async function resend({ id }: Delivery, onWait: () => void): Promise<Note> {
  const param = { id: String(id) };
  const answer = await writePatiently(
    (init) => api.deliveries[':id'].resend.$post({ param }, init),
    onWait,
  );
  if (!answer) return unknownOutcome;
  if (answer.status !== 200) return refusalInWords(await answer.json());
  return good('The message is sent again now.');
}

export async function resendSince(
  endpointId: Endpoint['id'],
  since: Date,
  onWait: () => void,
): Promise<Note> {
  const request = { param: { id: String(endpointId) }, json: { since: since.toISOString() } };
  const answer = await writePatiently(
    (init) => api.endpoints[':id'].resend.$post(request, init),
    onWait,
  );
  if (!answer) return unknownOutcome;
  if (answer.status !== 202) return refusalInWords(await answer.json());
  return good('All messages since this time are sent again now.');
}
