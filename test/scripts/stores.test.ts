import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { type Command, isRunning, makeTmpDir, run, runSource } from '../support/command.ts';
import { hasEtcd, hasRedis } from '../support/stores.ts';

const database = () => ({ DATABASE_URL: inject('scratchUrl') });

/** A folder with all programs of the PATH except these. PostgreSQL needs some of the others. */
function pathWithout(...missing: string[]): string {
  const folder = path.join(makeTmpDir(), 'bin');
  mkdirSync(folder);
  for (const place of (process.env.PATH ?? '').split(path.delimiter).filter(existsSync))
    for (const name of readdirSync(place))
      if (!missing.includes(name) && !existsSync(path.join(folder, name)))
        symlinkSync(path.join(place, name), path.join(folder, name));
  return folder;
}

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

  test('a judged strategy that uses Redis cannot be judged', async () => {
    const file = path.join(makeTmpDir(), 'uses-redis.ts');
    writeFileSync(
      file,
      `export default async (_db, { key }, { redis }) =>
        ({ kind: 'done', receipt: Number(await redis.get(key)) });`,
    );
    const args = [file, '--chapter', 'retries'];
    const { ended, stderr } = runSource('scripts/judge.ts', args, {
      ...database(),
      ...withoutRedis,
    });
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(/There is no Redis here: .*\n$/);
  });
});

/** The store that a command has started, once it runs. */
async function storeOf({ child }: Command, name: string) {
  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  for (;;) {
    const below = childrenOf(child.pid as number).flatMap(childrenOf);
    const store = below.find((pid) => nameOf(pid) === name);
    if (store !== undefined) return { pid: store, folder: folderOf(store) };
    await turn();
  }
}

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
      while (isRunning(pid) || existsSync(folder)) await turn();
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
