import type { Finding } from '../ledger.ts';

/** Resident memory of the server after this many requests. */
export interface Sample {
  requests: number;
  mb: number;
}

/**
 * Medians are taken over this share of all requests, since a garbage collection moves one sample by
 * many MB.
 */
const SPAN = 0.1;
const MOST_GROWTH = 1.1;
/** A new process grows for some ten thousand requests while it compiles code and sizes its heap. */
const JUDGED_FROM = 100_000;

export interface Growth {
  halfMb: number;
  endMb: number;
}

/** The memory after half of the requests, and at the end. */
export const growthOf = (samples: Sample[], requests: number): Growth => ({
  halfMb: before(requests / 2, samples, requests),
  endMb: before(requests, samples, requests),
});

function before(moment: number, samples: Sample[], requests: number): number {
  const from = moment - requests * SPAN;
  const near = samples.filter((each) => each.requests >= from && each.requests <= moment);
  const sorted = near.map(({ mb }) => mb).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Empty if the memory did not grow, or if there were too few requests to tell. */
export function judgeGrowth({ halfMb, endMb }: Growth, requests: number): Finding[] {
  if (requests < JUDGED_FROM || endMb <= halfMb * MOST_GROWTH) return [];
  const what = `the server grew from ${Math.round(halfMb)} MB after half of the requests to ${Math.round(endMb)} MB`;
  return [{ promise: 'it does not grow', what }];
}
