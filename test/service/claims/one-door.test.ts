import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';

/**
 * The folders and files that the tests do not check. The lab writes claims without `changeSlots`,
 * but only to its own databases. The other folders and files write no claims.
 */
const NOT_PRODUCTION = /^(lab|pages|service\/database\/(schema|demo-data))/;

const sources = readdirSync(inProject('src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(path.sep).join('/'))
  .filter((name) => /\.tsx?$/.test(name) && !NOT_PRODUCTION.test(name))
  .map((name) => ({ name, text: readFileSync(inProject(`src/${name}`), 'utf8') }));

const filesWith = (pattern: RegExp) =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ name }) => name)
    .sort();

test('only claims/queries.ts and claims/line.ts write claims, and only claims/slots.ts calls the functions that write', () => {
  const writes =
    /\.(insert|update|delete)\(jobClaims\)|(insert into|update|delete from) (\$\{jobClaims|"?job_claims)/i;
  expect(filesWith(writes)).toEqual(['service/claims/line.ts', 'service/claims/queries.ts']);
  const callers = filesWith(
    /\b(insertClaims?|insertOffers|removeExpired|deleteClaim|extendLease|acceptClaim|setCapacity)\b/,
  );
  expect(callers).toEqual([
    'service/claims/line.ts',
    'service/claims/queries.ts',
    'service/claims/slots.ts',
  ]);
});

test('only claims/line.ts adds to the line of a job or removes from it, and only claims/slots.ts calls it', () => {
  const writes = /\.(insert|delete)\(waitlist\)|(insert into|update|delete from) \$\{waitlist\}/i;
  expect(filesWith(writes)).toEqual(['service/claims/line.ts']);
  expect(filesWith(/\b(insertIntoLine|deleteFromLine)\b/)).toEqual([
    'service/claims/line.ts',
    'service/claims/slots.ts',
  ]);
});

test('only claims/slots.ts locks jobs, and only claims/queries.ts changes the capacity of a job', () => {
  const locks =
    /\.from\(jobs\)[^;]*\.for\('(update|no key update)'|\$\{jobs\}[^;]*\bfor (no key )?update/;
  expect(filesWith(locks)).toEqual(['service/claims/slots.ts']);
  expect(filesWith(/\.update\(jobs\)\.set\((?!\{ role \}\))|update \$\{jobs/i)).toEqual([
    'service/claims/queries.ts',
  ]);
});
