import { afterAll, beforeAll, test } from 'vitest';
import { USUAL } from '../../../../src/lab/sandbox/limits.ts';
import { TOO_LARGE, TOO_LONG, TOO_MUCH_DATA } from '../../../../src/lab/sandbox/watch.ts';
import { ENDLESS } from '../../../support/endless.ts';
import { makeHostile } from '../../../support/hostile-student.ts';

let student: Awaited<ReturnType<typeof makeHostile>>;
let endless: typeof student;
beforeAll(async () => {
  student = await makeHostile();
  endless = await makeHostile(USUAL);
});
afterAll(async () => {
  await student.expectNothingLeft();
  await endless.expectNothingLeft();
});

const ATTEMPTS: Record<string, [end: string, ...texts: string[]]> = {
  'makes rows for ever': ['53400', 'select count(*) from generate_series(1, 1000000000000)'],
  'answers with a huge value': [
    TOO_LARGE,
    `select repeat(repeat('x', 1000), 20000) from generate_series(1, 20)`,
  ],
  'fills the disk': [
    TOO_MUCH_DATA,
    `create table big as select repeat(md5(a::text), 60) from generate_series(1, 10000) a,
      generate_series(1, 10000) b`,
  ],
};

/** The attempts that the time limit ends. */
const SLOW: typeof ATTEMPTS = {
  'works for ever': [
    TOO_LONG,
    'set statement_timeout = 0',
    `select count(*) from generate_series(1, 10000) a
      where (select sum(b % a) from generate_series(1, 50000) b) < 0`,
  ],
  'works for ever and checks for no signals': [TOO_LONG, ENDLESS['searches a text'] ?? ''],
};

test.each(Object.entries(ATTEMPTS))('a student who %s harms nobody', (_, [end, ...texts]) =>
  student.expectEnd(end, texts),
);

test.each(Object.entries(SLOW))('a student who %s harms nobody', (_, [end, ...texts]) =>
  endless.expectEnd(end, texts),
);
