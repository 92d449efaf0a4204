import { PlainError } from '../../../src/platform/process/errors.ts';
import { nameOf, send } from '../ask.ts';
import type { EndpointRow } from './judge-messages.ts';

/** The number of endpoints of each company. Each endpoint has a separate lane in the queue. */
const ENDPOINTS_OF_COMPANY = 3;

/** Adds endpoints at the receiver for every company. The endpoints get messages of all types. */
export async function addEndpoints(
  serverUrl: string,
  receiverUrl: string,
  companyIds: string[],
): Promise<EndpointRow[]> {
  const endpoints = companyIds.flatMap((companyId) =>
    Array.from({ length: ENDPOINTS_OF_COMPANY }, (_, n) => ({
      name: `${companyId}-${n}`,
      companyId,
    })),
  );
  for (const { name, companyId } of endpoints) {
    const reply = await send(serverUrl, {
      path: `/companies/${companyId}/endpoints`,
      method: 'POST',
      body: JSON.stringify({ url: `${receiverUrl}/${name}` }),
    });
    if (nameOf(reply) !== '201')
      throw new PlainError(`The endpoints could not be added (${nameOf(reply)}).`);
  }
  return endpoints;
}
