import { describe, expect, inject, test } from 'vitest';
import { run } from '../support/command.ts';
import { pathWithout } from '../support/program.ts';

const database = () => ({ DATABASE_URL: inject('scratchUrl') });

// test/slow/scripts/stores.test.ts has the judge.
describe('without redis-server on the PATH', () => {
  const withoutRedis = { PATH: pathWithout('redis-server') };
  const explore = (...args: string[]) =>
    run('scripts/explore.ts', args, { ...database(), ...withoutRedis });

  test('explore leaves the strategies of Redis out, and says so loudly', async () => {
    const { ended, stdout, stderr } = explore('--chapter', 'retries', '--most', '1');
    const { code } = await ended;
    expect(code, stderr()).toBe(0);
    expect(stderr()).toContain(
      '!!! There is no Redis here: no program "redis-server". Install it, or set REDIS_SERVER_PATH ' +
        'or REDIS_URL. Left out: retries/set-nx, retries/set-nx-answer.\n',
    );
    expect(stdout()).not.toContain('set-nx');
    expect(stdout()).toContain('provider-key');
  });

  test.each([[['--strategy', 'set-nx']], [['--chapter', 'retries', '--situation', 'early']]])(
    'explore %j ends with one line and 2',
    async (args) => {
      const { ended, stdout, stderr } = explore(...args);
      expect((await ended).code).toBe(2);
      expect(stdout()).toBe('');
      expect(stderr()).toMatch(/^There is no Redis here: .*\n$/);
    },
  );

  test('matrix writes no table', async () => {
    const { ended, stderr } = run('scripts/matrix.ts', ['--check'], withoutRedis);
    expect((await ended).code).toBe(1);
    expect(stderr()).toMatch(/^The tables need every store\. There is no Redis here: .*\n$/);
  });
});
