import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../src/process/project.ts';

/**
 * These folders and files may write claims without the door. They write only to their own
 * databases.
 */
const NOT_PRODUCTION = /^(lab|bench|faults|web|db\/(schema|demo-data))/;

const sources = readdirSync(inProject('src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(path.sep).join('/'))
  .filter((name) => /\.tsx?$/.test(name) && !NOT_PRODUCTION.test(name))
  .map((name) => ({ name, text: readFileSync(inProject(`src/${name}`), 'utf8') }));

const filesWith = (pattern: RegExp) =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ name }) => name)
    .sort();

test('only the queries of claims write claims, and only the door calls these queries', () => {
  const writes =
    /\.(insert|update|delete)\(jobClaims\)|(insert into|update|delete from) (\$\{jobClaims|"?job_claims)/i;
  expect(filesWith(writes)).toEqual(['claims/queries.ts']);
  const callers = filesWith(
    /\b(insertClaims?|removeExpired|deleteClaim|extendLease|setCapacity)\b/,
  );
  expect(callers).toEqual(['claims/queries.ts', 'claims/slots.ts']);
});

test('only the door locks jobs, and only the queries of claims change a capacity', () => {
  const locks =
    /\.from\(jobs\)[^;]*\.for\('(update|no key update)'|\$\{jobs\}[^;]*\bfor (no key )?update/;
  expect(filesWith(locks)).toEqual(['claims/slots.ts']);
  expect(filesWith(/\.update\(jobs\)\.set\((?!\{ role \}\))|update \$\{jobs/i)).toEqual([
    'claims/queries.ts',
  ]);
});
