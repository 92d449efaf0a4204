/**
 * The first key. In most situations all requests have this key. Some situations, and races, have
 * more keys.
 */
export const KEY = 'k';

const nameOf = (index: number) => (index === 0 ? KEY : `${KEY}${index + 1}`);

export const keysOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => nameOf(index));

/**
 * Returns the key of the request of a session. The first session is 1. The keys are spread evenly
 * over the sessions.
 */
export const keyOf = (session: number, count: number): string => nameOf((session - 1) % count);
