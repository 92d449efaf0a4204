import type { Caller } from '../http/auth/caller.ts';

/**
 * The id of an endpoint or of a delivery. If `companyId` is given, the endpoint must belong to this
 * company.
 */
export interface Own {
  id: bigint;
  companyId: bigint | undefined;
}

/**
 * Returns the condition under which the caller may use the endpoint or delivery with this id. A
 * company may use its own endpoints and deliveries. An admin may use all. A recruiter may use none,
 * so the result is undefined.
 */
export function ownOf(caller: Caller, id: bigint): Own | undefined {
  if (caller.role === 'recruiter') return undefined;
  return { id, companyId: caller.role === 'company' ? caller.id : undefined };
}
