import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { labMeanings } from '../src/lab/problems.ts';
import { inProject } from '../src/platform/process/project.ts';
import { type Meaning, meanings } from '../src/service/http/problem-list.ts';
import { blocksIn, commandBefore, linesOf, pageOf, pages } from './support/pages.ts';

/** How tests check the blocks of each language. */
const LANGUAGES = {
  sh: 'each line is run or checked: slow/docs.curl.test.ts, docs.commands.test.ts',
  json: 'the answer to the curl line before it: slow/docs.curl.test.ts',
  text: 'the output of the command before it: docs.commands.test.ts',
  ts: 'compiled, and run or judged: slow/docs.samples.run.test.ts',
  js: 'run in a browser, or a file of the examples: slow/docs.samples.run.test.ts, docs.examples.test.ts',
  go: 'a file of the examples: docs.examples.test.ts',
  python: 'a file of the examples: docs.examples.test.ts',
  java: 'a file of the examples: docs.examples.test.ts',
  sql: 'a file of the examples, or the lock of README: docs.examples.test.ts, docs.sql.test.ts',
  html: 'shown by Vite in a browser: test/campaigns/client/package.test.ts',
  tsx: 'the same',
  mermaid: 'a picture: its files exist, see docs.links.test.ts',
};

describe('every block of every page is checked', () => {
  test('each block has a language that a test knows', () => {
    const unknown = pages
      .flatMap(({ blocks }) => blocks)
      .filter(({ language }) => !(language in LANGUAGES))
      .map(({ at, language }) => `${at} is of the language "${language}"`);
    expect(unknown).toEqual([]);
  });

  test('each fence is closed', () => {
    for (const { name, text, blocks } of pages)
      expect(text.match(/^```/gm)?.length ?? 0, name).toBe(2 * blocks.length);
  });

  test('each line of a shell block is of a kind that a test runs', () => {
    const unknown = blocksIn('sh')
      .flatMap(linesOf)
      .filter(({ kind }) => kind === 'unknown')
      .map(({ at, text }) => `${at}: ${text}`);
    expect(unknown).toEqual([]);
  });

  test('an answer follows a curl line, and an output follows a command', () => {
    for (const block of blocksIn('json')) expect(commandBefore(block).kind, block.at).toBe('curl');
    for (const block of blocksIn('text'))
      expect(['npm', 'explorer'], block.at).toContain(commandBefore(block).kind);
  });
});

// Without this option, npm may ask a question. A build or an agent cannot answer.
test('each `npm create` of a page has -y or --yes', () => {
  const creates = pages.flatMap(({ text }) => text.match(/\bnpm create\b[^`\n]*/g) ?? []);
  expect(creates.length).toBeGreaterThan(0);
  // Options behind ` -- ` are for the created program.
  const asking = creates.filter((each) => !/ (-y|--yes)( |$)/.test(each.split(' -- ')[0] ?? ''));
  expect(asking).toEqual([]);
});

test('README has at most 130 lines', () => {
  expect(pageOf('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

test('README says to clone first, then to enter the folder, then to install', () => {
  const [first] = blocksIn('sh', [pageOf('README.md')]);
  const [clone, enter, install] = first ? linesOf(first).map(({ text }) => text) : [];
  const folder = /^git clone ADDRESS (\w+)$/.exec(clone ?? '')?.[1];
  expect([enter, install]).toEqual([`cd ${folder}`, 'npm ci']);
});

test('docs/api.md lists every problem as the service explains it', () => {
  const { text } = pageOf('docs/api.md');
  const [table = ''] = text.match(/<!-- problem codes[\s\S]+<!-- end of problem codes/) ?? [];
  const rows = [...table.matchAll(/^\| \d{3} \|.*$/gm)].map(([row]) => row);
  const listed: [string, Meaning][] = Object.entries({ ...meanings, ...labMeanings });
  const expected = listed.map(
    ([code, { status, when }]) => `| ${status} | \`${code}\` | ${when} |`,
  );
  expect(rows.toSorted()).toEqual(expected.toSorted());
});

test('the section Layout of CONTRIBUTING names every folder of src', () => {
  const layout = pageOf('CONTRIBUTING.md').text.split('\n## Layout\n')[1]?.split('\n## ')[0] ?? '';
  const rooms = readdirSync(inProject('src'), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  for (const { name } of rooms) expect(layout).toContain(`\`src/${name}/\``);
});

test('the list of decisions has a link to every page about a decision', () => {
  const decisions = pages.filter(({ name }) => /^docs\/decisions\/(?!README)/.test(name));
  const list = pageOf('docs/decisions/README.md').text;
  for (const { name } of decisions) expect(list).toContain(`](${name.split('/').at(-1)})`);
});
