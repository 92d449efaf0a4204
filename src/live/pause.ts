const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * The pause after so many failures in a row, in milliseconds. The pause doubles each time, up to a
 * bound. A part of it is random, so that clients that lost the database together do not all return
 * together.
 */
export const pauseAfter = (failures: number): number =>
  Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failures) * (0.5 + Math.random() / 2);
