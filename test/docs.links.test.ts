import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from '../src/platform/process/project.ts';
import { type Page, pages } from './support/pages.ts';

/** Returns the text of a page without its code blocks. */
const proseOf = ({ text }: Page) => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** Returns the anchor that GitHub makes for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    anchorOf(heading),
  );

/** Returns what is wrong with a link. Returns undefined if the target of the link exists. */
function wrongWith(page: Page, target: string): string | undefined {
  if (/^https:\/\//.test(target)) return undefined;
  const [file = '', anchor] = target.split('#');
  const where = file === '' ? page.name : path.posix.join(path.posix.dirname(page.name), file);
  if (!existsSync(inProject(where))) return `${page.name}: there is no ${where}`;
  if (anchor === undefined || anchorsIn(inProject(where)).includes(anchor)) return undefined;
  return `${page.name}: ${where} has no heading #${anchor}`;
}

test.each(pages)('the target of every link of $name exists', (page) => {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  expect(targets.flatMap((target) => wrongWith(page, target) ?? [])).toEqual([]);
});

/** The pages that may name only existing files. The changelog also names removed files. */
const present = pages.filter(({ name }) => name !== 'CHANGELOG.md');

test.each(present)('every file that $name names exists', ({ text }) => {
  const named = [
    ...text.matchAll(
      /(?<![\w./-])((?:src|test|scripts|docs|drizzle|examples|workshop)\/[\w./-]*[\w/])/g,
    ),
  ].map(([, name = '']) => name);
  expect(named.filter((name) => !existsSync(inProject(name)))).toEqual([]);
});

test.each(pages)('every npm command that $name names exists', ({ text }) => {
  const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const named = [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
