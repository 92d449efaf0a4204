import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Meaning, meanings } from '../src/http/problem-list.ts';
import { labMeanings } from '../src/lab/problems.ts';
import { inProject } from '../src/process/project.ts';
import { blocksIn, commandBefore, linesOf, pageOf, pages } from './support/pages.ts';

/** How tests check the blocks of each language. */
const LANGUAGES = {
  sh: 'each line is run or checked: docs.curl.test.ts, docs.commands.test.ts',
  json: 'the answer to the curl line before it: docs.curl.test.ts',
  text: 'the output of the command before it: docs.commands.test.ts',
  ts: 'compiled, and run or judged: docs.samples.test.ts',
  js: 'run in a browser, or a file of the examples: docs.samples.test.ts, docs.examples.test.ts',
  go: 'a file of the examples: docs.examples.test.ts',
  python: 'a file of the examples: docs.examples.test.ts',
  java: 'a file of the examples: docs.examples.test.ts',
  sql: 'a file of the examples: docs.examples.test.ts',
  html: 'shown by Vite in a browser: test/campaigns/client/package.test.ts',
  tsx: 'the same',
  mermaid: 'a picture: its files exist, see docs.links.test.ts',
};

describe('every block of every page is checked', () => {
  test('it has a language that a test knows', () => {
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
    for (const block of blocksIn('text')) expect(commandBefore(block).kind, block.at).toBe('npm');
  });
});

test('README has at most 200 lines', () => {
  expect(pageOf('README.md').text.split('\n').length).toBeLessThanOrEqual(201);
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

test('the layout of CONTRIBUTING has every room', () => {
  const layout = pageOf('CONTRIBUTING.md').text.split('\n## Layout\n')[1]?.split('\n## ')[0] ?? '';
  const rooms = readdirSync(inProject('src'), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  for (const { name } of rooms) expect(layout).toContain(`\`src/${name}/\``);
});

test('the list of decisions has every page of them', () => {
  const decisions = pages.filter(({ name }) => /^docs\/decisions\/(?!README)/.test(name));
  const list = pageOf('docs/decisions/README.md').text;
  for (const { name } of decisions) expect(list).toContain(`](${name.split('/').at(-1)})`);
});
