import { z } from 'zod';
import { type ProblemCode, problemCodes } from './problem-list.ts';
import { slotsAnswer } from './schemas.ts';

/**
 * An error for a client. `problemCodes` has the codes of the API. Routes outside the API may use
 * other codes.
 */
export interface Problem<Status extends number = number, Code extends string = ProblemCode> {
  status: Status;
  code: Code;
  title: string;
  detail: string;
}

/** The body of every error answer, as RFC 9457 defines it. */
const problemAnswer = z
  .object({
    type: z.string().meta({ example: '/problems/job-full' }),
    title: z.string().meta({ example: 'Job fully claimed' }),
    status: z.int().meta({ example: 403 }),
    detail: z.string().meta({ example: 'Every slot of this job is claimed. Nothing was changed.' }),
    code: z.enum(problemCodes).meta({ example: 'job-full' }),
    errors: z
      .array(z.object({ parameter: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'The errors of the request, one for each wrong parameter.' }),
    ...z.object(slotsAnswer).partial().shape,
    waitlist: z
      .string()
      .optional()
      .meta({ description: 'The path of the waitlist of a full job. Join it by POST.' }),
    requested: z.int().optional().meta({ description: 'The requested capacity.' }),
    requestId: z.string().optional().meta({ description: 'The id of this request in the log.' }),
  })
  .meta({
    id: 'Problem',
    description: 'Programs should check `code`. Show `title` or `detail` to people.',
  });

/** A response with types for its status and its body, like Hono's `TypedResponse`. */
export type ProblemResponse<Status extends number> = Response & {
  _data: z.infer<typeof problemAnswer>;
  _status: Status;
  _format: 'json';
};

/** Makes an error answer. `extensions` become further members of the body. */
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

/** Makes the documentation of a route's problems. Problems with the same status share an entry. */
export function problemResponses<const P extends readonly Problem<number, string>[]>(
  ...problems: P
) {
  const responses: Record<number, { description: string; content: ProblemContent }> = {};
  for (const { status, code, title, detail } of problems) {
    const before = responses[status];
    const line = `- \`${code}\`: ${title}`;
    // Only routes of the API are documented, so the code is one of `problemCodes`.
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

/**
 * Returns the address of a page that explains the problem. The address has no host, because the
 * service does not know its public name. RFC 9457 allows this.
 */
const typeOf = (code: string) => `/problems/${code}`;

/** A client should wait one second before it tries again. A claim takes only milliseconds. */
export const RETRY_AFTER = { 'Retry-After': '1' };
