import { test } from 'vitest';
import { expectClearLine } from '../../../support/judged-once.ts';

/**
 * The coach ends an endless file after five seconds of processor time. A busy machine takes longer.
 */
const SLOW = { timeout: 300_000 };

test.each([
  ['never ends', 'while (true) {}', /04-the-lock\.ts: it never ends\. Is there a loop/],
  [
    'prints 100 MB',
    "for (let i = 0; i < 100; i++) console.log('x'.repeat(1e6));",
    /^(NOT YET|SOLVED)\./m,
  ],
])('the coach prints a clear line about a file that %s', SLOW, (_, line, words) =>
  expectClearLine(line, words),
);
