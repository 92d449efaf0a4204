/** Who asks. `id` is the recruiter's or the company's own, and for an admin the name in its token. */
export type Caller = (
  | { role: 'recruiter'; id: bigint }
  | { role: 'company'; id: bigint }
  | { role: 'admin'; id: string }
) & {
  /** When the token ends, in milliseconds since 1970; undefined where none was asked for. */
  until?: number;
};

/** Everybody, on a server without authentication. */
export const ANYBODY: Caller = { role: 'admin', id: 'anybody' };

/** A name that no two callers share. */
export const nameOf = ({ role, id }: Caller): string => `${role}:${id}`;

export const isRecruiter = (caller: Caller, recruiterId: bigint): boolean =>
  caller.role === 'admin' || (caller.role === 'recruiter' && caller.id === recruiterId);

export const isCompany = (caller: Caller, companyId: bigint): boolean =>
  caller.role === 'admin' || (caller.role === 'company' && caller.id === companyId);
