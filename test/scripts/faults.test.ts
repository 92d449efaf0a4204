import { expect, inject, test } from 'vitest';
import { run } from '../support/command.ts';

const faults = (args: string[], env = {}) => run('scripts/faults.ts', args, env);

test('there is no verdict if there is nothing to play', async () => {
  const DATABASE_URL = inject('scratchUrl');
  const { ended, stdout } = faults(['--scenario', 'postgres'], { DATABASE_URL });
  expect((await ended).code).toBe(2);
  expect(stdout()).toContain('Verdict: nothing was played.');
});

test.concurrent('--help says what there is and ends with 0', async () => {
  const { ended, stdout } = faults(['--help']);
  expect((await ended).code).toBe(0);
  const options = [
    'scenario',
    'kills',
    'restarts',
    'servers',
    'requests',
    'tasks',
    'seconds',
    'json',
  ];
  for (const option of options) expect(stdout()).toContain(`--${option}`);
});

test.concurrent.each([
  [['--kills', '0'], /--kills must be a whole number from 1 to 100000/],
  [
    ['--scenario', 'flood'],
    /--scenario must be one of backends, server, postgres, servers, failover, soak, workers/,
  ],
  [['--tasks', '99'], /--tasks must be a whole number from 100 to 1000000/],
  [['--servers', '1'], /--servers must be a whole number from 2 to 8/],
  [['--frobnicate'], /--frobnicate/],
])('%j is refused in one line with exit code 2', async (args, words) => {
  const { ended, stderr } = faults(args);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
});
