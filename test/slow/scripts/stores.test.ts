import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test, vi } from 'vitest';
import { type Command, isRunning, makeTmpDir, run } from '../../support/command.ts';
import { pathWithout } from '../../support/program.ts';
import { hasEtcd, hasRedis } from '../../support/stores.ts';

const database = () => ({ DATABASE_URL: inject('scratchUrl') });

/** The store that a command has started, once it runs. */
async function storeOf({ child }: Command, name: string) {
  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  return vi.waitFor(() => {
    const below = childrenOf(child.pid as number).flatMap(childrenOf);
    const store = below.find((pid) => nameOf(pid) === name);
    if (store === undefined) throw new Error(`${name} does not run yet`);
    return { pid: store, folder: folderOf(store) };
  }, SOON);
}

/** A look takes no processor time from the command that starts. */
const SOON = { timeout: 20_000, interval: 20 };

const folderOf = (pid: number) =>
  execFileSync('readlink', [`/proc/${pid}/cwd`], { encoding: 'utf8' }).trim();

const stores = [
  ['redis-server', 'retries', 'set-nx-answer', 'slow', hasRedis],
  ['etcd', 'queue', 'session-lock', 'crash-and-slow', hasEtcd],
] as const;

describe.skipIf(!existsSync('/proc/self/task'))('a store that a command has started', () => {
  for (const [program, chapter, strategy, situation, isThere] of stores) {
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

    test.skipIf(!isThere)(
      `${program}: its end in the middle ends the command with one line`,
      async () => {
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
      },
    );

    test.skipIf(!isThere)(`${program}: ends with a command that is killed`, async () => {
      const command = explore();
      const { pid, folder } = await storeOf(command, program);
      command.child.kill('SIGKILL');
      await command.ended;
      await expect.poll(() => [isRunning(pid), existsSync(folder)], SOON).toEqual([false, false]);
    });

    test.skipIf(!isThere)(`${program}: ends with a command that is stopped`, async () => {
      const command = explore();
      const { pid, folder } = await storeOf(command, program);
      command.child.kill('SIGTERM');
      expect((await command.ended).code).toBe(143);
      expect([isRunning(pid), existsSync(folder)]).toEqual([false, false]);
    });
  }
});

describe('without redis-server on the PATH', () => {
  const withoutRedis = { PATH: pathWithout('redis-server') };

  test('a judged strategy that uses Redis cannot be judged', async () => {
    const file = path.join(makeTmpDir(), 'uses-redis.ts');
    writeFileSync(
      file,
      `export default async (_db, { key }, { redis }) =>
        ({ kind: 'done', receipt: Number(await redis.get(key)) });`,
    );
    const args = [file, '--chapter', 'retries'];
    const { ended, stderr } = run('scripts/judge.ts', args, { ...database(), ...withoutRedis });
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(/There is no Redis here: .*\n$/);
  });
});
