import { expect, test } from 'vitest';
import { judgeLine, type LineEvent } from '../../../proof/faults/judge-line.ts';

/** Makes events of a job with one slot, such as `joined 2`. A `|` begins a new transaction. */
function eventsOf(text: string): LineEvent[] {
  let number = 0;
  return text.split('|').flatMap((transaction, xid) =>
    transaction
      .trim()
      .split(', ')
      .map((words) => {
        const [kind = '', recruiterId = null] = words.split(' ');
        return { number: ++number, kind, recruiterId, capacity: 1, xid: String(xid) };
      }),
  );
}
const promises = (text: string) => judgeLine(eventsOf(text)).findings.map(({ promise }) => promise);

test.each([
  'claimed 1 | joined 2 | released 1, offered 2 | accepted 2',
  'claimed 1 | joined 2 | joined 3 | left 2 | released 1, offered 3',
  'claimed 1 | joined 2 | released 1, claimed 2',
  'joined 1, offered 1 | lapsed 1 | claimed 2',
  'posted | claimed 1 | renewed 1 | expired 1, claimed 2',
])('these events keep every promise: %s', (text) => {
  expect(promises(text)).toEqual([]);
});

const EMPTY = 'only requested changes are made';
const FIRST = 'first come, first served';
const TWICE = 'nobody waits twice, or waits and holds';
const IDLE = 'no slot is idle while somebody waits';
test.each([
  ['claimed 1 | joined 2 | joined 3 | released 1, offered 3', [FIRST]],
  ['claimed 1 | joined 2 | released 1, claimed 3', [FIRST]],
  ['offered 1', [FIRST]],
  ['claimed 1 | joined 2 | joined 2', [TWICE]],
  ['claimed 1 | joined 1', [TWICE]],
  ['claimed 1 | joined 2 | released 1 | offered 2', [IDLE]],
  ['joined 1 | offered 1', [IDLE]],
  ['claimed 1 | claimed 2', ['capacity']],
  ['claimed 1 | claimed 1', ['capacity']],
  ['claimed 1 | joined 2 | left 3', [EMPTY]],
  ['claimed 1 | accepted 1', [EMPTY]],
  ['joined 1, offered 1 | expired 1', [EMPTY]],
])('these events break a promise: %s', (text, broken) => {
  expect(promises(text)).toEqual(broken);
});
