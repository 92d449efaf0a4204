import { expect, test } from 'vitest';
import { redraw } from '../../../src/lab/coach/terminal.ts';

const size = { rows: 5, columns: 10 };

test('only the lines from the first changed line on are written again', () => {
  expect(redraw('one\ntwo\nthree\n', 'one\n2\n3\n', size)).toBe('\x1b[2A\r\x1b[J2\n3\n');
});

test('a line that is wider than the screen counts as several rows, and colour codes do not count', () => {
  const long = `\x1b[31m${'x'.repeat(11)}\x1b[39m`;
  expect(redraw(`one\n${long}\n`, 'one\n', size)).toBe('\x1b[2A\r\x1b[J');
});

test('added lines are written below the old lines', () => {
  expect(redraw('one\n', 'one\ntwo\n', size)).toBe('\r\x1b[Jtwo\n');
});

test('if a changed line has left the screen, the screen is cleared and everything is written again', () => {
  const text = (first: string) => `${first}\n2\n3\n4\n5\n6\n`;
  expect(redraw(text('one'), text('1'), size)).toBe(`\x1b[2J\x1b[H${text('1')}`);
});
