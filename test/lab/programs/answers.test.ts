import { expect, test } from 'vitest';
import { claims } from '../../../src/lab/chapters/claims/index.ts';
import { kindOf, readAnswers } from '../../../src/lab/programs/answers.ts';

const usual = claims.programs?.answers ?? [];

const kind = (list: string | undefined, status: number, body = '') =>
  kindOf({ status, reason: '', body }, readAnswers(list, usual));

test('without a list, an answer has the same meaning as in our API', () => {
  expect(kind(undefined, 200)).toBe('claimed');
  expect(kind(undefined, 201)).toBe('claimed');
  expect(kind(undefined, 403)).toBe('full');
  expect(kind(undefined, 409)).toBe('duplicate');
  expect(kind(undefined, 404)).toBe('no-such-job');
  expect(kind(undefined, 404, '{"code":"recruiter-not-found"}')).toBe('no-such-recruiter');
  expect(kind(undefined, 500)).toBe(undefined);
});

test('the rules of a list with a word come first, then its other rules, and then the usual rules', () => {
  const list = 'claimed=302, full=409,duplicate=409:already here';
  expect(kind(list, 302)).toBe('claimed');
  expect(kind(list, 409)).toBe('full');
  expect(kind(list, 409, 'You are already here.')).toBe('duplicate');
  expect(kind(list, 200)).toBe('claimed');
});

test.each([
  ['', '--answers is a list such as claimed=200,full=409:full, not "".'],
  ['full', 'not "full".'],
  ['full=4', 'not "full=4".'],
  ['won=200', '--answers knows claimed, duplicate, full,'],
])('the wrong list "%s" is refused in one line', (list, line) => {
  expect(() => readAnswers(list, usual)).toThrow(line);
});
