import { describe, expect, inject, test } from 'vitest';
import { run } from '../support/command.ts';

test('a situation that few strategies have is explored for these, and the JSON names it', async () => {
  const args = ['--situation', 'two-servers', '--most', '5', '--json'];
  const { ended, stdout } = run('scripts/explore.ts', args, {
    DATABASE_URL: inject('scratchUrl'),
  });
  expect((await ended).code).toBe(0);
  const explored = JSON.parse(stdout());
  expect(explored).toMatchObject([
    { strategy: 'production', situation: 'two-servers', faults: {} },
  ]);
});

describe('isolationtester', () => {
  const env = () => ({ DATABASE_URL: inject('scratchUrl') });
  const strategy = ['--strategy', 'claims/row-lock'];

  // test/slow/scripts/explore.test.ts has runs of the tester, and more wrong options.
  test('gets no schedules together with --json', async () => {
    const args = [...strategy, '--json', '--isolation', 'x'];
    const { ended, stdout, stderr } = run('scripts/explore.ts', args, env());
    expect((await ended).code).toBe(2);
    expect([stdout(), stderr()]).toEqual([
      '',
      'Only one of --isolation and --json can be given.\n',
    ]);
  });
});
