import { afterAll, test } from 'vitest';
import { makeHostile, TOO_LARGE } from '../../../support/hostile-student.ts';

const { expectEnd, expectNothingLeft } = await makeHostile();
afterAll(expectNothingLeft);

const ATTEMPTS: Record<string, [end: string, ...texts: string[]]> = {
  'makes rows for ever': ['53400', 'select count(*) from generate_series(1, 1000000000000)'],
  'answers with a huge value': [
    TOO_LARGE,
    `select repeat('x', 20000000) from generate_series(1, 20)`,
  ],
};

test.each(Object.entries(ATTEMPTS))('who %s reaches nothing', (_, [end, ...texts]) =>
  expectEnd(end, texts),
);
