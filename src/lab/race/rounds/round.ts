import { STATUS_CODES } from 'node:http';
import type { Database } from '../../../platform/db/client.ts';
import { inTime } from '../../../platform/waiting/deadline.ts';
import type { RaceSize, Standing, Strategy } from '../../chapter.ts';
import { labBusy, Refusal } from '../../problems.ts';
import type { Round } from '../race.ts';
import type { Recorder, Slice } from '../recorder.ts';
import { describeRound, type RequestChapter } from '../report.ts';
import { type Lane, lanesOf } from './lanes.ts';

/** One round, with everything that was recorded. */
export interface SeenRound extends Standing {
  strategy: string;
  /** The number of the round, from 1. */
  round: number;
  /** The time of the last answer, in milliseconds since the round began. */
  milliseconds: number;
  lanes: Lane[];
  /** The round as text. The answers are in the order of their arrival. */
  transcript: string;
}

/** A database for rounds. The recorder adds everything that happens in the database to `slices`. */
export interface Recorded {
  db: Database;
  recorder: Recorder;
  slices: Slice[];
}

/**
 * Runs one round. All sessions send their requests at the same time. Then this function counts the
 * result in the tables, and removes the rows.
 */
export async function runRound(
  { db, recorder, slices }: Recorded,
  { chapter, strategy }: { chapter: RequestChapter; strategy: Strategy },
  { round, ...size }: RaceSize & { round: number },
): Promise<SeenRound> {
  const { race } = chapter;
  const course = await race.lay(db, size);
  const server = race.start(strategy, db);
  const statusOf = (request: unknown) =>
    inTime(
      server.ask(request).then(race.statusOf, () => FAILED),
      ANSWER_MS,
      () => noAnswer(strategy),
    );
  try {
    slices.length = 0;
    const began = performance.now();
    const asked = course.requests.map((request) =>
      recorder.around(course.sessionOf(request), () => statusOf(request)),
    );
    const lanes = lanesOf(slices, began, await Promise.all(asked));
    const standing = await race.count(db, course);
    const milliseconds = Math.max(...lanes.map(({ to }) => to));
    const seen = { strategy: strategy.name, round, ...standing, milliseconds, lanes };
    await race.clear(db);
    return { ...seen, transcript: describeRound(chapter, strategy.name, inShort(seen)) };
  } catch (error) {
    // After a missing answer, rows may be locked for ever. So we remove no rows then, and the
    // caller drops the whole database.
    if (!(error instanceof Refusal)) await race.clear(db);
    throw error;
  }
}

/** The maximum time for an answer. Sessions of a round wait for locks for a much shorter time. */
const ANSWER_MS = 15_000;

/**
 * Throws a `Refusal` about a missing answer. The promise of a student's strategy may never settle.
 */
async function noAnswer({ name }: Strategy): Promise<never> {
  throw new Refusal({
    ...labBusy,
    detail: `A request to ${name} got no answer within ${ANSWER_MS / 1_000} seconds.`,
  });
}

/** The HTTP status for an unexpected error. */
const FAILED = 500;

/**
 * Returns a round in the same form as a round over HTTP. The answers are in the order of their
 * arrival.
 */
export const inShort = ({ lanes, ...seen }: Omit<SeenRound, 'transcript'>): Round => ({
  standing: seen,
  answers: lanes
    .toSorted((a, b) => a.to - b.to)
    .map(({ session, status }) => ({ session, status, reason: STATUS_CODES[status] ?? '' })),
});
