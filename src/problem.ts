/** What went wrong, for a program: stable, and listed in the README. */
export type ProblemCode =
  | 'already-claimed'
  | 'body-too-large'
  | 'busy'
  | 'internal-error'
  | 'invalid-request'
  | 'job-full'
  | 'job-not-found'
  | 'method-not-allowed'
  | 'not-found'
  | 'outcome-unknown'
  | 'prefetch-refused'
  | 'recruiter-not-found'
  | 'shutting-down'
  | 'strategy-not-found';

export interface Problem {
  status: number;
  code: ProblemCode;
  title: string;
  detail: string;
}

/** An error answer after RFC 9457, with `code` and whatever else is told as extension members. */
export function problem(
  { status, code, title, detail }: Problem,
  extensions: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  const type = `urn:problem-type:rowlock:${code}`;
  const body = JSON.stringify({ type, title, status, detail, code, ...extensions });
  return new Response(body, {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  });
}

export const methodNotAllowed = (allow: string) =>
  problem(
    {
      status: 405,
      code: 'method-not-allowed',
      title: 'Method not allowed',
      detail: `This address answers ${allow} only.`,
    },
    {},
    { Allow: allow },
  );
