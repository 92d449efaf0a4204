/** The key of the request. Some situations, and a race, have further keys. */
export const KEY = 'k';

const nameOf = (index: number) => (index === 0 ? KEY : `${KEY}${index + 1}`);

export const keysOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => nameOf(index));

/** The key of the request of a session, from 1. The requests share the keys evenly. */
export const keyOf = (session: number, count: number): string => nameOf((session - 1) % count);
