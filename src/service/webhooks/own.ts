import type { Caller } from '../http/auth/caller.ts';

/** An endpoint or a delivery. If a company is given, the endpoint must belong to the company. */
export interface Own {
  id: bigint;
  companyId: bigint | undefined;
}

/**
 * The thing with this id, if the caller may use the thing. A company may use its own things. An admin
 * may use all things. A recruiter may use nothing.
 */
export function ownOf(caller: Caller, id: bigint): Own | undefined {
  if (caller.role === 'recruiter') return undefined;
  return { id, companyId: caller.role === 'company' ? caller.id : undefined };
}
