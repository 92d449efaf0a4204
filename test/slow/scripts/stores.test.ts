import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test, vi } from 'vitest';
import { type Command, isRunning, makeTmpDir, run } from '../../support/command.ts';

const database = () => ({ DATABASE_URL: inject('scratchUrl') });

/** Returns the store that a command has started, as soon as the store runs. */
async function storeOf({ child }: Command, name: string) {
  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  return vi.waitFor(() => {
    const store = childrenOf(child.pid as number).find((pid) => nameOf(pid) === name);
    if (store === undefined) throw new Error(`${name} does not run yet`);
    return { pid: store, folder: folderOf(store) };
  }, SOON);
}

/** The interval is short, because a check takes no processor time from the command. */
const SOON = { timeout: 20_000, interval: 20 };

const folderOf = (pid: number) =>
  execFileSync('readlink', [`/proc/${pid}/cwd`], { encoding: 'utf8' }).trim();

const stores = [
  ['redis', 'redis-server', 'retries', 'set-nx-answer', 'slow'],
  ['etcd', 'etcd', 'queue', 'session-lock', 'crash-and-slow'],
] as const;

describe.skipIf(!existsSync('/proc/self/task'))('a store that a command has started', () => {
  for (const [tag, program, chapter, strategy, situation] of stores) {
    const needed = { tags: [tag] };
    const explore = () =>
      run(
        'scripts/explore.ts',
        [
          '--chapter',
          chapter,
          '--strategy',
          strategy,
          '--situation',
          situation,
          '--most',
          '100000',
          '--sessions',
          '3',
        ],
        database(),
      );

    test(`${program}: if the store dies, the command ends with one line`, needed, async () => {
      const command = explore();
      const { pid, folder } = await storeOf(command, program);
      process.kill(pid, 'SIGKILL');
      expect((await command.ended).code).toBe(2);
      const [line, ...more] = command
        .stderr()
        .trimEnd()
        .split('\n')
        .filter((each) => !/: schedule \d+$/.test(each));
      expect(line).toMatch(/^(Redis|etcd) (does not answer any more|does not start): .+\.?$/);
      expect([more, command.stdout(), existsSync(folder)]).toEqual([[], '', false]);
    });

    test(`${program}: ends if its command is killed`, needed, async () => {
      const command = explore();
      const { pid, folder } = await storeOf(command, program);
      command.child.kill('SIGKILL');
      await command.ended;
      await expect.poll(() => [isRunning(pid), existsSync(folder)], SOON).toEqual([false, false]);
    });

    test(`${program}: ends if its command is stopped`, needed, async () => {
      const command = explore();
      const { pid, folder } = await storeOf(command, program);
      command.child.kill('SIGTERM');
      expect((await command.ended).code).toBe(143);
      expect([isRunning(pid), existsSync(folder)]).toEqual([false, false]);
    });
  }
});

describe('without redis-server on the PATH', () => {
  test('a judged strategy that uses Redis cannot be judged', async () => {
    const file = path.join(makeTmpDir(), 'uses-redis.ts');
    writeFileSync(
      file,
      `export default async (_db, { key }, { redis }) =>
        ({ kind: 'done', receipt: Number(await redis.get(key)) });`,
    );
    const args = [file, '--chapter', 'retries'];
    const { ended, stderr } = run('scripts/judge.ts', args, database());
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(/There is no Redis here: .*\n$/);
  });
});

test('without Redis on the PATH, explore leaves out the strategies of Redis, and prints a warning', async () => {
  const { ended, stdout, stderr } = run(
    'scripts/explore.ts',
    ['--chapter', 'retries', '--most', '1'],
    database(),
  );
  const { code } = await ended;
  expect(code, stderr()).toBe(0);
  expect(stderr()).toContain(
    '!!! There is no Redis here: no program "redis-server". Install it, or set REDIS_SERVER_PATH ' +
      'or REDIS_URL. Left out: retries/set-nx, retries/set-nx-answer.\n',
  );
  expect(stdout()).not.toContain('set-nx');
  expect(stdout()).toContain('provider-key');
});

describe('without Redis and etcd on the PATH', () => {
  const explore = (...args: string[]) =>
    run('scripts/explore.ts', args, { DATABASE_URL: inject('scratchUrl') });

  test.each([[['--strategy', 'set-nx']], [['--chapter', 'retries', '--situation', 'early']]])(
    'explore %j ends with one line and the exit code 2',
    async (args) => {
      const { ended, stdout, stderr } = explore(...args);
      expect((await ended).code).toBe(2);
      expect(stdout()).toBe('');
      expect(stderr()).toMatch(/^There is no Redis here: .*\n$/);
    },
  );

  test('matrix writes no table', async () => {
    const { ended, stderr } = run('scripts/matrix.ts', ['--check']);
    expect((await ended).code).toBe(1);
    expect(stderr()).toMatch(
      /^The tables need every store\. There is no etcd here: .* There is no Redis here: .*\n$/,
    );
  });
});
