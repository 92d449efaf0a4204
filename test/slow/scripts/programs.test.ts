import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { until } from '../../../src/platform/waiting/until.ts';
import { isRunning, makeTmpDir, run } from '../../support/command.ts';
import { wordsOf } from '../../support/npm-scripts.ts';
import { withoutProgress } from '../../support/race-demo.ts';

const fixture = (name: string) => inProject(path.join('test/lab/programs/functions', name));
const NAIVE = fixture('naive.mjs');
const KEEPS_LOCK = fixture('keeps-lock-in-crowd.mjs');

const start = (command: string, args: string[], databaseUrl = inject('scratchUrl')) =>
  run(`scripts/${command}.ts`, args, { DATABASE_URL: databaseUrl });

async function outputOf(command: string, ...args: string[]) {
  const child = start(command, args);
  const { code } = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Makes a file with this text. */
function fileWith(name: string, text: string): string {
  const file = path.join(makeTmpDir(), name);
  writeFileSync(file, text);
  return file;
}

/**
 * Makes a command that runs this code of Node.js. `pids` returns the ids of the started processes.
 */
function program(code: string) {
  const pids = fileWith('pids', '');
  const file = fileWith('program.cjs', code);
  return {
    command: `echo $$ >> ${pids}; exec node ${file}`,
    pids: () => readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number),
  };
}

const SILENT = `require('node:http').createServer(() => {}).listen(process.env.PORT, '127.0.0.1');`;

const allEnd = (pids: number[]) =>
  until(() => !pids.some(isRunning), { everyMs: 20, withinMs: 10_000 });

describe('a function of Node.js that counts and then inserts', () => {
  test('falls, and the printed replay command plays the same schedule', async () => {
    const judged = await outputOf('judge', '--module', NAIVE);
    expect(judged.code, judged.stderr).toBe(1);
    expect(judged.stdout).toContain('(false in 18 of 20 schedules)');
    expect(judged.stdout).toContain('Verdict on the program: it falls.');
    const [, line = ''] = /^replay: npm run replay -- (.+)$/m.exec(judged.stdout) ?? [];
    const played = await outputOf('replay', ...wordsOf(line));
    expect(played.code, played.stderr).toBe(0);
    const [transcript = ''] = /^ {6}S1[\s\S]+?(?=\nreplay: )/m.exec(judged.stdout) ?? [];
    expect(transcript).toContain('5 claims, 4 slots: OVERSOLD');
    expect(played.stdout).toContain(transcript);
  });

  test('is explored, and --json prints its counts', async () => {
    const { code, stdout } = await outputOf('explore', '--module', NAIVE, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { strategy: 'the program', schedules: 20, isComplete: true, faults: { oversold: 18 } },
    ]);
  });

  test('can race', async () => {
    const { stdout, stderr } = await outputOf(
      ...(['race-demo', '--module', NAIVE, '--rounds', '2', '--json'] as const),
    );
    expect(withoutProgress(stderr)).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      rounds: 2,
      strategies: [{ strategy: 'the program', statuses: { 200: expect.any(Number) } }],
    });
  });
});

test('a program that dies in some schedules is started anew for the other schedules', async () => {
  const { code, stdout } = await outputOf(
    'explore',
    '--module',
    fixture('dies-when-full.mjs'),
    '--json',
  );
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { schedules: 20, isComplete: true, faults: { oversold: 18, error: 2 } },
  ]);
});

const schema = (text: string, invariant: string) => [
  ...['--module', NAIVE, '--schema', fileWith('schema.sql', text), '--invariant', invariant],
];

// test/campaigns/scripts/programs.test.ts tests more mistakes, and the judgements that take long.
const wrong: [string, () => string[], string][] = [
  ['no command', () => ['--server', ' '], "--server needs a command, such as 'go run .'"],
  ['wrong SQL', () => schema('create tabel a', 'select 1'), 'schema.sql: syntax error at or near'],
  [
    'an invariant that writes',
    () => schema('create table a (b int)', 'insert into a values (1)'),
    '--invariant must be one query',
  ],
  [
    'a capacity that no situation has',
    () => ['--module', NAIVE, '--capacity', '7'],
    '--capacity knows 4. For another limit, use --schema with your own tables.',
  ],
  ['a program that ends at once', () => ['--server', 'exit 3'], '"exit 3" ended with exit code 3'],
];

test.each(wrong)('%s: the judge explains the mistake in one line', async (_, args, line) => {
  const { code, stdout, stderr } = await outputOf('judge', ...args());
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(line);
  expect(withoutProgress(stderr).trimEnd().split('\n')).toHaveLength(1);
});

test('a function that keeps a lock only in a crowd at full speed falls', async () => {
  const { code, stdout } = await outputOf('judge', '--module', KEEPS_LOCK);
  expect(code).toBe(1);
  expect(stdout).toContain(
    'hang in 1: a request waits for a lock that an idle connection keeps, by select pg_advisory_lock(1)',
  );
});

describe('nothing remains running', () => {
  test('after a program that never answers', async () => {
    const { command, pids } = program(SILENT);
    const { code, stderr } = await outputOf('judge', '--server', command);
    expect(code).toBe(2);
    expect(withoutProgress(stderr)).toBe(
      'Alone on its database: The program gave no answer within 8 s\n',
    );
    // Each of at most three sessions has a copy of the program.
    expect(pids()).toHaveLength(3);
    expect(await allEnd(pids())).toBe(true);
  });

  test('after SIGINT, though the SQL of the schema never ends', async () => {
    const sql = postgres(inject('scratchUrl'), { max: 1 });
    onTestFinished(() => sql.end());
    const isAsleep = async () => {
      const rows = await sql`
        select from pg_stat_activity where query like ${'%pg_sleep(7654)%'}
          and state = 'active' and pid <> pg_backend_pid()`;
      return rows.length > 0;
    };
    const judging = start('judge', schema('select pg_sleep(7654)', 'select where false'));
    expect(await until(isAsleep, { everyMs: 20, withinMs: 30_000 })).toBe(true);
    judging.child.kill('SIGINT');
    expect((await judging.ended).code).toBe(130);
    expect(withoutProgress(judging.stderr())).toBe('');
    expect(await isAsleep()).toBe(false);
  });

  test.each(['SIGINT', 'SIGKILL'] as const)('after %s', async (signal) => {
    const { command, pids } = program(SILENT);
    // Without DATABASE_URL, the command starts a PostgreSQL of its own, and so leaves no database
    // behind.
    const judging = start('judge', ['--server', command], '');
    expect(await until(() => pids().length === 2, { everyMs: 20, withinMs: 30_000 })).toBe(true);
    judging.child.kill(signal);
    await judging.ended;
    expect(withoutProgress(judging.stderr())).toBe('');
    expect(await allEnd(pids())).toBe(true);
  });
});
