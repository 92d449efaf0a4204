import { expect, test } from 'vitest';
import { boardOf } from '../../../../src/lab/chapters/claims/board.ts';
import { situationNamed } from '../../../support/claims-chapter.ts';

const { claimed, askers, others } = boardOf(situationNamed('in-life'));
const jobs = [...claimed, ...others];

test('on a board with large ids, no two things have the same id', () => {
  const companies = new Set(jobs.map(({ company }) => company));
  const recruiters = new Set([...askers, ...jobs.flatMap(({ holders }) => holders)]);
  const ids = [...jobs.map(({ id }) => id), ...companies, ...recruiters];
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids are too large for an integer of PostgreSQL, and for a number of JavaScript', () => {
  expect(jobs.some(({ id }) => id > 2n ** 31n)).toBe(true);
  expect(askers.some((id) => BigInt(Number(id)) !== id)).toBe(true);
});

test('askers hold other jobs, and some jobs are full, half full and empty', () => {
  const free = ({ capacity, holders }: (typeof jobs)[number]) => capacity - holders.length;
  expect(others.flatMap(({ holders }) => holders)).toEqual(
    expect.arrayContaining(askers.slice(0, 2)),
  );
  expect(others.some((job) => free(job) === 0)).toBe(true);
  expect(others.some((job) => job.holders.length === 0)).toBe(true);
  expect(others.some((job) => free(job) > 0 && job.holders.length > 0)).toBe(true);
});
