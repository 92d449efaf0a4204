import type { Finding } from '../ledger.ts';

/** The server's resident memory in MB after this many requests. */
export interface Sample {
  requests: number;
  mb: number;
}

/**
 * Each median covers this share of all requests. A single sample says little, since each garbage
 * collection changes the memory by many MB.
 */
const SPAN = 0.1;
const MOST_GROWTH = 1.1;
/**
 * A run with fewer requests is not judged. During its first tens of thousands of requests, every
 * new process grows, because Node compiles the code and enlarges the heap.
 */
const JUDGED_FROM = 100_000;

export interface Growth {
  halfMb: number;
  endMb: number;
}

/** Returns the median memory just before the middle of the run, and just before its end. */
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

/**
 * Returns a finding if the memory grew by more than 10 %. Does not judge runs that are too short.
 */
export function judgeGrowth({ halfMb, endMb }: Growth, requests: number): Finding[] {
  if (requests < JUDGED_FROM || endMb <= halfMb * MOST_GROWTH) return [];
  const what = `the server grew from ${Math.round(halfMb)} MB after half of the requests to ${Math.round(endMb)} MB`;
  return [{ promise: 'the memory does not grow', what }];
}
