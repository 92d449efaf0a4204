import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { programs } from '../../.ci/programs.mjs';
import { assertCanRun } from '../../src/lab/stores/index.ts';
import { RedisKeys } from '../../src/lab/stores/redis.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { start } from './command.ts';
import { atOnce } from './effects.ts';
import { countLeftOut, lacksPackage, lineOf } from './left-out.ts';
import type { Need } from './needs.ts';
import { programFile } from './program.ts';

const version = () => execFileSync('redis-server', ['--version'], { encoding: 'utf8' });
const versionInShell = async () => {
  const shell = start('sh', ['-c', 'redis-server --version'], {});
  return { ...(await shell.ended), said: shell.stdout() };
};

const startKeys = () => new RedisKeys().commandsBy(atOnce).get('k');

describe('a test with the tag of a program', { tags: ['redis'] }, () => {
  test('can start the program, and so can the processes that the test starts', async () => {
    expect(version()).toContain('Redis server');
    expect(await versionInShell()).toMatchObject({ code: 0, said: version() });
    expect(existsSync(programFile('redis'))).toBe(true);
    expect(await startKeys()).toBe(null);
  });
});

test('with the tag of PostgreSQL, a test can start psql and pg_dump', {
  tags: ['postgresql'],
}, () => {
  for (const name of ['psql', 'pg_dump'])
    expect(execFileSync(name, ['--version'], { encoding: 'utf8' })).toContain('PostgreSQL');
});

describe('a test without the tag of a program', () => {
  test('cannot start the program, nor can the processes that the test starts', async () => {
    expect(version).toThrow('ENOENT');
    expect(await versionInShell()).toMatchObject({ code: 127, said: '' });
  });

  test('gets an error that names the missing tag', () => {
    for (const { name, files } of programs)
      expect(() => programFile(name)).toThrow(
        `This test starts ${files[0]}. Add the option { tags: ['${name}'] } to the test.`,
      );
  });

  test('cannot use a store that another test has started', async () => {
    expect(() => assertCanRun({ needs: 'redis' })).toThrow('There is no Redis here');
    await expect(startKeys()).rejects.toThrow('There is no Redis here');
  });

  test('can start Node.js, npm, git, a shell and coreutils', () => {
    for (const name of ['node', 'npm', 'npx', 'git', 'sh', 'bash', 'env', 'cat', 'sleep'])
      expect(() => execFileSync(name, ['--help'], { stdio: 'ignore' }), name).not.toThrow(/ENOENT/);
  });
});

describe('tests that are left out', () => {
  const need = (name: string, title: string, packages: string[], isThere = false) =>
    ({ name, title, packages, isThere }) as unknown as Need;
  const needs = [
    need('etcd', 'etcd', ['etcd-server']),
    need('go', 'Go with lib/pq', ['golang-go', 'golang-github-lib-pq-dev']),
    need('redis', 'Redis', ['redis-server'], true),
    need('mount', 'the right to mount', []),
  ];
  const file = (...tags: string[][]) =>
    ({ type: 'suite', tasks: tags.map((each) => ({ type: 'test', tags: each })) }) as never;

  test('are counted for each missing program, and once in the total', () => {
    const leftOut = countLeftOut(
      [file(['etcd'], ['redis'], []), file(['etcd', 'go'], ['etcd'])],
      needs,
    );
    expect(lineOf(leftOut)).toBe(
      'Left out: 3 tests (etcd: etcd-server 3, Go with lib/pq: golang-go + golang-github-lib-pq-dev 1). ' +
        'Install the packages to run them.',
    );
    expect(lacksPackage(leftOut)).toBe(true);
  });

  test('lead to no advice about packages if only a right is missing', () => {
    const leftOut = countLeftOut([file(['mount'], ['redis'])], needs);
    expect(lineOf(leftOut)).toBe('Left out: 1 test (the right to mount: 1).');
    expect(lacksPackage(leftOut)).toBe(false);
  });

  test('do not exist on a machine with every program', () => {
    expect(countLeftOut([file(['redis'], [])], needs)).toEqual({ tests: 0, by: [] });
  });
});

test('CONTRIBUTING.md lists the programs, their packages and their variables', () => {
  const text = readFileSync(inProject('CONTRIBUTING.md'), 'utf8');
  const [, rows = ''] = /^\| tag \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const cells = rows
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1));
  const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');
  expect(cells.map((row) => row.map((cell) => cell.trim()))).toEqual(
    programs.map((program) => [
      code([program.name]),
      program.title,
      code(program.packages),
      code('variable' in program ? [program.variable] : []),
    ]),
  );
});
