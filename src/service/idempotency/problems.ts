import type { Problem } from '../http/problem.ts';
import { invalidRequest, outcomeUnknown } from '../http/problems.ts';

export const malformedKey = {
  status: 400,
  code: 'invalid-request',
  title: 'Malformed Idempotency-Key',
  detail: 'Idempotency-Key must be one string of at most 255 printable characters.',
} as const satisfies Problem;

/**
 * Two different bodies with invalid bytes can decode to the same text, so such bodies are refused.
 */
export const notUtf8 = {
  ...invalidRequest,
  detail: 'The body is not JSON, because its bytes are not UTF-8.',
} as const satisfies Problem;

export const keyReused = {
  status: 422,
  code: 'key-reused',
  title: 'Idempotency-Key used for another request',
  detail: 'A different request has used this key before. Nothing was changed.',
} as const satisfies Problem;

export const keyInUse = {
  status: 409,
  code: 'key-in-use',
  title: 'The first request with this key is still running',
  detail: 'A request with this Idempotency-Key has no answer yet. Try again.',
} as const satisfies Problem;

/** The further problems of routes that write, in addition to `onEveryRoute`. */
export const onWriting = [malformedKey, keyInUse, keyReused, outcomeUnknown] as const;

/** The documentation of the header. The middleware reads the header, so no schema checks it. */
export const keyHeader = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'A key for this request. If you send the same request again with the same key, you get the ' +
    'same answer, and nothing is changed again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;
