import { test } from 'vitest';
import { demo, expectRefusal } from '../../support/race-demo.ts';

// test/scripts/commands.test.ts tests bad values of single options.
test.concurrent.each([
  [['--tasks', '5'], /^A race of claims has no --tasks\./],
  [
    ['--chapter', 'retries', '--tasks', '5'],
    /^A race of retries has no --tasks\. It has --requests/,
  ],
  [['--strategy', 'production'], /^There are claims\/production and queue\/production and /],
  [
    ['--chapter', 'queue', '--strategy', 'naive'],
    /^There is no strategy "naive"\..* of queue are /,
  ],
  [['--trace', 'no-such-folder/race.json'], /^Cannot write the trace: .*no-such-folder/],
  [
    ['--url', 'http://127.0.0.1:1'],
    /No answer from the server at http:\/\/127.0.0.1:1 \(bad port\)/,
  ],
])('%j is refused in one line with exit code 2', async (args, words) => {
  await expectRefusal(demo(args), words);
});
