import { expect, test } from 'vitest';
import { KnownPlaces } from '../../../src/service/live/places.ts';

const RECRUITER = 7n;
const at = (jobId: bigint, place: number) => ({ jobId, recruiterId: RECRUITER, place });

/** Returns the news as a text such as `5: 2`. */
const news = (known: KnownPlaces, jobIds: bigint[], ...present: ReturnType<typeof at>[]) =>
  known.hear(new Set(jobIds), present).map(({ jobId, place }) => `${jobId}: ${place}`);

test('a place is news if the follower does not know it', () => {
  const known = new KnownPlaces(RECRUITER);
  expect(news(known, [5n, 6n], at(5n, 2), at(6n, 1))).toEqual(['5: 2', '6: 1']);
  expect(news(known, [5n, 6n], at(5n, 1), at(6n, 1))).toEqual(['5: 1']);
});

test('a recruiter who no longer waits has no place, and this is news once', () => {
  const known = new KnownPlaces(RECRUITER);
  known.hear(new Set([5n]), [at(5n, 2)]);
  expect(news(known, [5n])).toEqual(['5: null']);
  expect(news(known, [5n])).toEqual([]);
});

test('a place in the line of a job that has not changed stays', () => {
  const known = new KnownPlaces(RECRUITER);
  known.hear(new Set([5n]), [at(5n, 2)]);
  expect(news(known, [6n])).toEqual([]);
  expect(news(known, [5n])).toEqual(['5: null']);
});

test('after the full state begins again, every place is news', () => {
  const known = new KnownPlaces(RECRUITER);
  known.hear(new Set([5n]), [at(5n, 2)]);
  known.clear();
  expect(news(known, [5n], at(5n, 2))).toEqual(['5: 2']);
});
