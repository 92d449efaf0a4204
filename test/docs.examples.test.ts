import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../src/platform/process/project.ts';
import { pageOf } from './support/pages.ts';

const { blocks } = pageOf('docs/any-language.md');
/**
 * The blocks with a tag. The tag is the path of a file. test/slow/lab/programs runs these files.
 */
const files = blocks.filter(({ tag }) => tag !== '');

test('the page shows a program in each language', () => {
  const languages = files.map(({ language }) => language);
  expect(languages.toSorted()).toEqual(['go', 'java', 'js', 'python', 'sql']);
});

const [ofExplorer] = pageOf('docs/explorer-package.md').blocks.filter(
  ({ language }) => language === 'js',
);
test('the test on the page of the explorer is a file of its examples', () => {
  expect(ofExplorer?.text).toBe(
    readFileSync(inProject(`examples/explorer/${ofExplorer?.tag}`), 'utf8'),
  );
});

test.each(files)('the block at $at is the file $tag', ({ tag, text }) => {
  expect(text).toBe(readFileSync(inProject(path.join('examples/any-language', tag)), 'utf8'));
});
