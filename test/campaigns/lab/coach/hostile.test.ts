import { test } from 'vitest';
import { expectClearLine } from '../../../support/judged-once.ts';

/** An endless file is ended after five seconds on the processor. On a busy machine this takes long. */
const SLOW = { timeout: 300_000 };

test.each([
  ['never ends', 'while (true) {}', /04-the-lock\.ts: it never ends\. Is there a loop/],
  [
    'prints 100 MB',
    "for (let i = 0; i < 100; i++) console.log('x'.repeat(1e6));",
    /^(NOT YET|SOLVED)\./m,
  ],
])('a file that %s gets a clear line', SLOW, (_, line, words) => expectClearLine(line, words));
