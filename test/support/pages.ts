import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inProject } from '../../src/platform/process/project.ts';

/** A fenced block of a page. */
export interface Block {
  /** The file and the line of the block, such as `docs/api.md:12`. */
  at: string;
  language: string;
  /** The rest of the line that opens the block. */
  tag: string;
  text: string;
  /** The previous block of the same page. */
  before: Block | undefined;
}

export interface Page {
  /** The path from the project's folder, such as `docs/api.md`. */
  name: string;
  text: string;
  blocks: Block[];
}

/** Returns the pages below a folder, without the student's own files in `workshop/mine`. */
const pagesBelow = (folder: string): string[] =>
  readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((name) => name.endsWith('.md') && !name.startsWith('workshop/mine/'));

const names = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...pagesBelow('docs'),
  ...pagesBelow('workshop'),
  ...pagesBelow('src'),
  ...pagesBelow('proof'),
];

/** All pages of documentation in this project. */
export const pages: Page[] = names.map((name) => {
  const text = readFileSync(inProject(name), 'utf8');
  return { name, text, blocks: blocksOf(name, text) };
});

export function pageOf(name: string): Page {
  const page = pages.find((each) => each.name === name);
  if (!page) throw new Error(`there is no page ${name}`);
  return page;
}

/** Returns the blocks in one language, by default those of all pages. */
export const blocksIn = (language: string, of: Page[] = pages): Block[] =>
  of.flatMap(({ blocks }) => blocks.filter((block) => block.language === language));

function blocksOf(name: string, text: string): Block[] {
  const blocks: Block[] = [];
  for (const match of text.matchAll(/^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm)) {
    const [, language = '', tag = '', content = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    blocks.push({ at: `${name}:${line}`, language, tag, text: content, before: blocks.at(-1) });
  }
  return blocks;
}

/** A line of a shell block, and the kind of test that runs it. */
export interface Line {
  at: string;
  text: string;
  kind: Kind;
}

/** The kinds of lines that tests run or check. A line of another kind makes docs.test.ts fail. */
const KINDS = {
  /** docs.curl.test.ts runs the lines of these kinds with a real service. */
  stream: /^curl -N /,
  curl: /^curl /,
  example: /^npx tsx examples\//,
  variable: /^(CLAIM|ENDPOINT|OFFER)=/,
  /** docs.test.ts checks these lines. They need the address of the repository. */
  checkout: /^(git clone|cd) /,
  /**
   * These lines make a project with a page. test/campaigns/client/package.test.ts does the same.
   */
  page: /^(npm (install|create) \S|npx vite)/,
  /** test/slow/explorer/package.test.ts and test/explorer/command run such lines. */
  explorer: /^npx rowlock-explorer /,
  /** docs.commands.test.ts checks the lines of the kinds below. */
  npm: /^npm /,
  vitest: /^npx vitest run /,
  script: /^(docs|deploy)\/[\w-]+\.(sh|mjs)( |$)/,
  postgres: /^(psql|createdb|pg_\w+) /,
  setting: /^export /,
};
export type Kind = keyof typeof KINDS | 'unknown';

/** Returns the commands of a shell block without their comments. */
export const linesOf = ({ at, text }: Block): Line[] =>
  text
    .split('\n')
    .map((line) => line.replace(/(^|\s+)#.*$/, '').trimEnd())
    .filter((line) => line !== '')
    .map((line) => ({ at, text: line, kind: kindOf(line) }));

function kindOf(line: string): Kind {
  const [kind] = Object.entries(KINDS).find(([, words]) => words.test(line)) ?? ['unknown'];
  return kind as Kind;
}

/** Returns the command whose output a block shows: the last line of the previous block. */
export function commandBefore({ at, before }: Block): Line {
  const line = before?.language === 'sh' ? linesOf(before).at(-1) : undefined;
  if (!line) throw new Error(`${at}: there is no command before this output`);
  return line;
}
