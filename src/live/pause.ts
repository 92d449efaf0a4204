const SHORTEST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * Milliseconds to wait after so many failures in a row: twice as long each time, up to a bound, and
 * never the same twice, so that those who lost the database together do not all come back at once.
 */
export const pauseAfter = (failures: number): number =>
  Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failures) * (0.5 + Math.random() / 2);
