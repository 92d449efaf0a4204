import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { makeTmpDir } from '../../support/command.ts';
import { python } from '../../support/languages.ts';
import { wordsOf } from '../../support/npm-scripts.ts';
import { fileWith, outputOf } from '../../support/own-file.ts';
import { commandBefore, pageOf } from '../../support/pages.ts';
import { programFile } from '../../support/program.ts';
import { withoutProgress } from '../../support/race-demo.ts';

const fixture = (name: string) => inProject(`test/lab/programs/functions/${name}`);
const NAIVE = fixture('naive.mjs');

const schema = (text: string, invariant: string) => [
  ...['--module', NAIVE, '--schema', fileWith(text, 'schema.sql'), '--invariant', invariant],
];

const wrong: [string, () => string[], string][] = [
  ['no file', () => ['--module', 'none.mjs'], `There is no file ${inProject('none.mjs')}.`],
  ['two programs', () => ['--server', 'a', '--module', 'b'], 'Only one of --server and --module'],
  ['a file beside a program', () => ['mine.ts', '--server', 'a'], 'so mine.ts has no place here.'],
  ['another chapter', () => ['--server', 'a', '--chapter', 'queue'], 'cannot be tried in queue.'],
  ['wrong answers', () => ['--server', 'a', '--answers', 'full=no'], 'not "full=no".'],
  ['no invariant', () => ['--server', 'a', '--schema', 'b'], 'must be given together.'],
  ['answers without a program', () => ['--answers', 'full=403'], 'need --server or --module.'],
  [
    'a wrong invariant',
    () => schema('', 'selct 1'),
    '--invariant: syntax error at or near "selct"',
  ],
  [
    'an invariant that is broken at the beginning',
    () => schema('', 'select 1'),
    '--invariant returns a row before the first',
  ],
  [
    'a dump with data that only psql can load',
    () => schema('copy a (b) from stdin;\n1\n\\.\n', 'select where false'),
    '--inserts',
  ],
  [
    'SQL that works only once',
    () => schema('create table a (); set role pg_monitor', 'select where false'),
    'schema.sql, the second time: must be owner of schema public',
  ],
  [
    'SQL that never ends, and sets a limit of its own',
    () => schema('set statement_timeout = 0; select pg_sleep(1000)', 'select where false'),
    'schema.sql has not ended after 20 s.',
  ],
  [
    'an endless invariant',
    () => schema('', 'with recursive n as (select 1 union all select 1 from n) select from n'),
    '--invariant has not ended after 20 s.',
  ],
  [
    'a folder',
    () => ['--module', NAIVE, '--schema', makeTmpDir(), '--invariant', 'select 1'],
    ' is no file.',
  ],
  [
    'no function',
    () => ['--module', fileWith('export default 1;', 'none.mjs')],
    'ended with exit code 1: TypeError: The module exports no function by default.',
  ],
  [
    'a program without its tables',
    () => schema('', 'select where false'),
    'Alone on its database: The program answered 500 relation "jobs" does not exist',
  ],
];

test.each(wrong)('the judge refuses this in one line: %s', async (_, args, line) => {
  const { code, stdout, stderr } = await outputOf('judge', args());
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(line);
  expect(withoutProgress(stderr).trimEnd().split('\n')).toHaveLength(1);
});

test('a program with the limit of four in its code holds with --capacity 4, and is told so', async () => {
  const four = fixture('four.mjs');
  const judged = await outputOf('judge', ['--module', four]);
  expect(judged.code, judged.stderr).toBe(1);
  expect(judged.stderr).toMatch(/\nEvery fault is in a job with another number of slots than 4\./);
  expect(await outputOf('judge', ['--module', four, '--capacity', '4'])).toMatchObject({ code: 0 });
  // Production's limit is not the only fault of this program.
  expect((await outputOf('judge', ['--module', NAIVE])).stderr).not.toContain('--capacity');
});

test('nothing remains running after a function that waits for a lock that nobody frees', {
  tags: ['ps'],
}, async () => {
  const hangs = fixture('hangs.mjs');
  const { code, stdout } = await outputOf('judge', ['--module', hangs]);
  expect(code).toBe(1);
  expect(stdout).toContain('Verdict on the program: it falls.');
  expect(stdout).toContain('<waiting for S1>');
  const { stdout: processes } = spawnSync(programFile('ps'), ['-eo', 'args'], {
    encoding: 'utf8',
  });
  expect(processes).not.toContain(hangs);
});

const { blocks } = pageOf('docs/any-language.md');
test('the page shows the verdict of the Python example', { tags: ['python'] }, async () => {
  const block = blocks.find(({ language }) => language === 'text');
  if (!block) throw new Error('the page shows no output');
  const [, line = ''] = /^npm run judge -- (.+)$/.exec(commandBefore(block).text) ?? [];
  expect(wordsOf(line)).toEqual(['--server', `python3 ${python.file}`]);
  const { code, stdout } = await outputOf('judge', ['--server', python.commandOf(python.file)]);
  expect(code).toBe(0);
  // A program answers only a kind, so no field can be wrong.
  expect(stdout).not.toMatch(/^remark/m);
  for (const shown of block.text.trimEnd().split('\n')) expect(stdout.split('\n')).toContain(shown);
});
