import { expect, test } from 'vitest';
import { run } from '../support/command.ts';

const bench = (args: string[]) => run('scripts/bench.ts', args);

test.concurrent('--help says what there is and ends with 0', async () => {
  const { ended, stdout } = bench(['--help']);
  expect((await ended).code).toBe(0);
  for (const word of ['scenario', 'rounds', 'seconds', 'json', 'spread', 'memory', 'queue', 'held'])
    expect(stdout()).toContain(word);
});

test.concurrent.each([
  [['--rounds', '0'], /--rounds must be a whole number from 1 to 100/],
  [['--seconds', '0'], /--seconds must be a number from 0.1 to 600/],
  [['--seconds', 'long'], /--seconds must be a number from 0.1 to 600/],
  [
    ['--scenario', 'flood'],
    /--scenario must be one of spread, hot, beside, impossible, alone, size, memory/,
  ],
  [['--frobnicate'], /--frobnicate/],
  [['extra'], /extra/],
])('%j is refused in one line with exit code 2', async (args, words) => {
  const { ended, stdout, stderr } = bench(args);
  expect((await ended).code).toBe(2);
  expect(stdout()).toBe('');
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
});
