import type { z } from 'zod';
import { type Problem, type ProblemResponse, problem } from './problem.ts';

export const invalidRequest = {
  status: 400,
  code: 'invalid-request',
  title: 'Invalid request',
  detail: 'The request is invalid. `errors` names the wrong parts.',
} as const satisfies Problem;

export const notJson = {
  ...invalidRequest,
  detail: 'The body is not JSON.',
} as const satisfies Problem;

export const malformedAddress = {
  ...invalidRequest,
  detail: 'The target or the Host header of the request is malformed. Nothing was changed.',
} as const satisfies Problem;

export const unauthorized = {
  status: 401,
  code: 'unauthorized',
  title: 'No valid token',
  detail: 'Send a valid token: Authorization: Bearer …',
} as const satisfies Problem;

export const forbidden = {
  status: 403,
  code: 'forbidden',
  title: 'Not yours',
  detail: 'Your token does not allow this.',
} as const satisfies Problem;

export const crossSiteRefused = {
  status: 403,
  code: 'cross-site-refused',
  title: 'Refused from another site',
  detail: 'A page of another site made this request. Nothing was changed.',
} as const satisfies Problem;

export const bodyTooLarge = {
  status: 413,
  code: 'body-too-large',
  title: 'Body too large',
  detail: 'The body is too large for this address.',
} as const satisfies Problem;

export const unsupportedMediaType = {
  status: 415,
  code: 'unsupported-media-type',
  title: 'Unsupported media type',
  detail: 'The body must be JSON, and its Content-Type application/json.',
} as const satisfies Problem;

export const tooManyRequests = {
  status: 429,
  code: 'too-many-requests',
  title: 'Too many requests',
  detail: 'You have sent too many requests. Wait as many seconds as Retry-After says.',
} as const satisfies Problem;

export const internalError = {
  status: 500,
  code: 'internal-error',
  title: 'Internal error',
  detail: 'Something unexpected happened. The log has the error under this requestId.',
} as const satisfies Problem;

export const busy = {
  status: 503,
  code: 'busy',
  title: 'Busy',
  detail: 'The job or the database is busy. Nothing was changed. Try again.',
} as const satisfies Problem;

export const outcomeUnknown = {
  status: 503,
  code: 'outcome-unknown',
  title: 'Outcome not known',
  detail:
    'The database gave no answer, so it is unknown whether anything was changed. Send ' +
    'the request again with the same Idempotency-Key, or read the current state.',
} as const satisfies Problem;

export const shuttingDown = {
  status: 503,
  code: 'shutting-down',
  title: 'Shutting down',
  detail: 'This server is shutting down. Nothing was changed. Try again.',
} as const satisfies Problem;

/** Problems that every route may answer. */
export const onEveryRoute = [
  invalidRequest,
  unauthorized,
  forbidden,
  crossSiteRefused,
  tooManyRequests,
  internalError,
  busy,
  shuttingDown,
] as const;

/**
 * Answers a request that its schema refused. The answer has one error for each wrong parameter.
 * Errors that belong to no parameter get the name `whole`, which names a part of the request.
 */
export function invalid(error: z.ZodError, whole: string): ProblemResponse<400> {
  // Several rules may refuse a value with the same words. The answer has these words once.
  const errors = new Map<string, { parameter: string; detail: string }>();
  for (const { path, message: detail } of error.issues) {
    const parameter = path.join('.') || whole;
    errors.set(`${parameter} ${detail}`, { parameter, detail });
  }
  const detail = [...errors.keys()].join('; ');
  return problem({ ...invalidRequest, detail }, { errors: [...errors.values()] });
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
