import type { Problem } from '../problem.ts';
import { invalidRequest, outcomeUnknown } from '../problems.ts';

export const malformedKey = {
  status: 400,
  code: 'invalid-request',
  title: 'Malformed Idempotency-Key',
  detail: 'Idempotency-Key must be one string of at most 255 printable characters.',
} as const satisfies Problem;

/** Two bodies with different wrong bytes can decode to the same text, so such bodies are refused. */
export const notUtf8 = {
  ...invalidRequest,
  detail: 'The body is not JSON: its bytes are not UTF-8.',
} as const satisfies Problem;

export const keyReused = {
  status: 422,
  code: 'key-reused',
  title: 'Idempotency-Key used for another request',
  detail: 'This key came with a different request before. Nothing was changed.',
} as const satisfies Problem;

export const keyInUse = {
  status: 409,
  code: 'key-in-use',
  title: 'The first request with this key is still running',
  detail: 'A request with this Idempotency-Key has no answer yet: ask again.',
} as const satisfies Problem;

/** A route that changes something may answer these problems, and those of every route. */
export const onWriting = [malformedKey, keyInUse, keyReused, outcomeUnknown] as const;

/** The header in OpenAPI's words. The middleware reads the header before any schema does. */
export const keyHeader = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'Names this request: sent again with the same key, it is answered the same and changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;
