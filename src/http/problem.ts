import { z } from 'zod';
import { slotsAnswer } from './schemas.ts';

/** What went wrong, for a program: stable, and listed in the README. */
export const problemCodes = [
  'already-claimed',
  'body-too-large',
  'busy',
  'capacity-too-low',
  'claim-not-found',
  'company-not-found',
  'cross-site-refused',
  'database-read-only',
  'database-unreachable',
  'forbidden',
  'internal-error',
  'invalid-request',
  'job-full',
  'job-not-found',
  'key-in-use',
  'key-reused',
  'method-not-allowed',
  'migrations-missing',
  'no-lease',
  'not-found',
  'outcome-unknown',
  'prefetch-refused',
  'recruiter-not-found',
  'shutting-down',
  'too-many-jobs',
  'too-many-requests',
  'unauthorized',
  'unsupported-media-type',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** Routes outside the API may have codes of their own. */
export interface Problem<Status extends number = number, Code extends string = ProblemCode> {
  status: Status;
  code: Code;
  title: string;
  detail: string;
}

/** The body of every answer that is an error, after RFC 9457. */
export const problemAnswer = z
  .object({
    type: z.string().meta({ example: 'urn:problem-type:rowlock:job-full' }),
    title: z.string().meta({ example: 'Job fully claimed' }),
    status: z.int().meta({ example: 403 }),
    detail: z.string().meta({ example: 'Every slot of this job is claimed. Nothing was changed.' }),
    code: z.enum(problemCodes).meta({ example: 'job-full' }),
    errors: z
      .array(z.object({ parameter: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'What is wrong with each parameter that is.' }),
    ...z.object(slotsAnswer).partial().shape,
    requested: z.int().optional().meta({ description: 'The capacity that was asked for.' }),
    requestId: z.string().optional().meta({ description: 'To be found in the log.' }),
  })
  .meta({ id: 'Problem', description: 'Act on `code`; show `title` or `detail`.' });

/** A response of whose status and body the types know, as Hono's `TypedResponse` has it. */
export type ProblemResponse<Status extends number> = Response & {
  _data: z.infer<typeof problemAnswer>;
  _status: Status;
  _format: 'json';
};

/** An error answer, with `code` and whatever else is told as extension members. */
export function problem<const Status extends number>(
  { status, code, title, detail }: Problem<Status, string>,
  extensions: Partial<z.infer<typeof problemAnswer>> = {},
  headers: Record<string, string> = {},
): ProblemResponse<Status> {
  const body = JSON.stringify({ type: typeOf(code), title, status, detail, code, ...extensions });
  return new Response(body, {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
  }) as ProblemResponse<Status>;
}

type ProblemContent = {
  'application/problem+json': {
    schema: typeof problemAnswer;
    examples: Record<string, { value: z.infer<typeof problemAnswer> }>;
  };
};

/** These problems as a route documents them: those of one status share an entry. */
export function problemResponses<const P extends readonly Problem<number, string>[]>(
  ...problems: P
) {
  const responses: Record<number, { description: string; content: ProblemContent }> = {};
  for (const { status, code, title, detail } of problems) {
    const before = responses[status];
    const line = `- \`${code}\`: ${title}`;
    // The API's document has only the API's own codes.
    const value = { type: typeOf(code), title, status, detail, code: code as ProblemCode };
    const examples = before?.content['application/problem+json'].examples;
    responses[status] = {
      description: before ? `${before.description}\n${line}` : line,
      content: {
        'application/problem+json': {
          schema: problemAnswer,
          examples: { ...examples, [title]: { value } },
        },
      },
    };
  }
  return responses as Record<P[number]['status'], (typeof responses)[number]>;
}

const typeOf = (code: string) => `urn:problem-type:rowlock:${code}`;

/** Seconds after which it makes sense to ask again: a claim takes milliseconds. */
export const RETRY_AFTER = { 'Retry-After': '1' };
