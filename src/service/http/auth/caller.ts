/**
 * The sender of a request. `id` is the id of the recruiter or the company. For an admin, `id` is
 * the name in the token.
 */
export type Caller = (
  | { role: 'recruiter'; id: bigint }
  | { role: 'company'; id: bigint }
  | { role: 'admin'; id: string }
) & {
  /**
   * When the token expires, in milliseconds since 1970. Undefined if the server requires no tokens.
   */
  until?: number;
};

/** The caller of every request on a server without authentication. */
export const ANYBODY: Caller = { role: 'admin', id: 'anybody' };

/**
 * The caller of a request for the metrics with the token of the metrics. No other request has this
 * caller.
 */
export const SCRAPER: Caller = { role: 'admin', id: 'metrics' };

/** Returns a name for the caller. Different callers have different names. */
export const nameOf = ({ role, id }: Caller): string => `${role}:${id}`;

export const isRecruiter = (caller: Caller, recruiterId: bigint): boolean =>
  caller.role === 'admin' || (caller.role === 'recruiter' && caller.id === recruiterId);

export const isCompany = (caller: Caller, companyId: bigint): boolean =>
  caller.role === 'admin' || (caller.role === 'company' && caller.id === companyId);
