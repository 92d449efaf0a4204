import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstLineOf, retryAfterOf } from '../../../../src/service/webhooks/send/send.ts';

const now = new Date('2026-11-22T10:00:00Z');
const DAY = 24 * 60 * 60 * 1000;

test.each<[string, string]>([
  ['', ''],
  ['ok', 'ok'],
  ['not found\nat /srv/app.js:12', 'not found'],
  ['not found\r\nat /srv/app.js:12', 'not found'],
  ['\u001b[31mred\u0007\u0000\u202e', '[31mred'],
  ['one\u2028two', 'onetwo'],
  ['Bäcker 🥨', 'Bäcker 🥨'],
  ['🥨'.repeat(300), '🥨'.repeat(200)],
])('the answer %j is shortened to the line %j', (body, line) => {
  expect(firstLineOf(Buffer.from(body))).toBe(line);
});

test('the service keeps only a short line of printable characters from an answer of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      const line = firstLineOf(Buffer.from(bytes));
      expect(Array.from(line).length).toBeLessThanOrEqual(200);
      expect(line).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]*$/u);
    }),
    { numRuns: 2000 },
  );
});

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ['0', 0],
  ['120', 120_000],
  ['86401', DAY],
  ['9'.repeat(400), DAY],
  ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', DAY],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['soon', undefined],
  ['5 apples', undefined],
  ['Sun, 99 Foo 2026 10:00:30 GMT', undefined],
  ['2026-11-22T10:00:30Z', undefined],
])('Retry-After %j means a pause of %j ms', (header, ms) => {
  expect(retryAfterOf(header, now)).toBe(ms);
});
