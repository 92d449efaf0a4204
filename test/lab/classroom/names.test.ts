import { expect, test } from 'vitest';
import { cleanName, isName, LONGEST_NAME } from '../../../src/lab/classroom/names.ts';

test.each([
  ['Ada', 'Ada'],
  ['  Ada   Lovelace\n', 'Ada Lovelace'],
  ['José', 'José'],
  ['Łukasz Żółć', 'Łukasz Żółć'],
  ['王小明', '王小明'],
  ['שרה', 'שרה'],
  // The text after this character would be shown from right to left.
  ['Ada\u202eadA', 'AdaadA'],
  ['A\u200bd\u200da', 'Ada'],
  ['A\u0000d\u001b[31ma', 'Ad[31ma'],
  ['<b>Ada</b>', '<b>Ada</b>'],
  // A letter and a symbol that are invisible. With them, a name would look like another name.
  ['Ada\u3164\u2800', 'Ada'],
  ['👩🏽‍🚀 and ❤️', '👩🏽‍🚀 and ❤️'],
  ['🦊\u200d\u200d\ufe0f', '🦊'],
  [`A${'\u0301'.repeat(30)}da`, 'Á\u0301\u0301da'.normalize('NFKC')],
])('the typed name %j becomes %j', (typed, clean) => {
  expect(cleanName(typed)).toBe(clean);
});

test.each([
  '',
  ' ',
  '\u200b\u202e',
  '\u3164',
  '\u2800',
  '\u115f\u1160',
  '\uffa0',
  '\u200d\ufe0f',
  '...',
  'x'.repeat(LONGEST_NAME + 1),
])('%j is refused as a name', (typed) => {
  expect(isName(cleanName(typed))).toBe(false);
});

test.each(['A', '🦊', 'x'.repeat(LONGEST_NAME)])('%j is allowed as a name', (typed) => {
  expect(isName(cleanName(typed))).toBe(true);
});
