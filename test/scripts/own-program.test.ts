import { expect, test } from 'vitest';
import { plain } from '../../scripts/own-program.ts';

test.each([
  ['postgres://me@host/jobs', 'postgres://me@host/jobs?sslmode=disable'],
  ['postgres://me@host/jobs?sslmode=require', 'postgres://me@host/jobs?sslmode=require'],
])('a program at full speed gets %s as %s', (url, given) => {
  expect(plain(url)).toBe(given);
});
