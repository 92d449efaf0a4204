import { STATUS_CODES } from 'node:http';
import { answers } from '../../../claims/answers.ts';
import type { Outcome } from '../../../claims/rules.ts';
import { settle } from '../../../claims/settle.ts';
import type { Database } from '../../../db/client.ts';
import type { Strategy } from '../../chapters/claims/strategy.ts';
import type { Round } from '../race.ts';
import type { Recorder, Slice } from '../recorder.ts';
import { describeRound } from '../report.ts';
import { clearTrack, countClaimsOf, layTrack } from '../track.ts';
import { type Lane, lanesOf } from './lanes.ts';

/** One round as it went, with all that was seen. */
export interface SeenRound {
  strategy: string;
  /** From 1. */
  round: number;
  capacity: number;
  /** Claims counted in the table after the last answer. */
  claims: number;
  /** When the last one was answered, in milliseconds. */
  milliseconds: number;
  lanes: Lane[];
  /** The round as text, in the order of the answers. */
  transcript: string;
}

/** A database for rounds. The recorder puts all that happens on it into `slices`. */
export interface Recorded {
  db: Database;
  recorder: Recorder;
  slices: Slice[];
}

/** All recruiters claim a fresh job at once; then its claims are counted, and it is removed. */
export async function runRound(
  { db, recorder, slices }: Recorded,
  { name: strategy, claim }: Strategy,
  { round, recruiters, capacity }: { round: number; recruiters: number; capacity: number },
): Promise<SeenRound> {
  const { jobId, recruiterIds } = await layTrack(db, { capacity, recruiters });
  try {
    slices.length = 0;
    const began = performance.now();
    const claims = recruiterIds.map((recruiterId) => {
      const request = { jobId, recruiterId };
      return recorder.around(request, () => statusOf(settle(claim(db, request))));
    });
    const lanes = lanesOf(slices, began, recruiterIds, await Promise.all(claims));
    const held = await countClaimsOf(db, jobId);
    const milliseconds = Math.max(...lanes.map(({ to }) => to));
    const transcript = describeRound(strategy, inShort({ claims: held, lanes }), { capacity });
    return { strategy, round, capacity, claims: held, milliseconds, lanes, transcript };
  } finally {
    await clearTrack(db);
  }
}

/** What an app answers; what it does not expect is its own fault. */
const statusOf = (claim: Promise<Outcome>): Promise<number> =>
  claim.then(
    ({ kind }) => (kind === 'claimed' ? 200 : answers[kind].status),
    () => 500,
  );

/** The round as a race over HTTP has it: the answers in the order in which they came. */
export const inShort = ({ claims, lanes }: Pick<SeenRound, 'claims' | 'lanes'>): Round => ({
  claims,
  answers: lanes
    .toSorted((a, b) => a.to - b.to)
    .map(({ recruiter, status }) => ({ recruiter, status, reason: STATUS_CODES[status] ?? '' })),
});
