import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject } from 'vitest';
import { makeTmpDir, run } from './command.ts';
import { blocksIn, commandBefore, pageOf } from './pages.ts';

/** The strategies in docs/explorer.md, by file name. Code on other pages is no strategy. */
export const strategies = new Map(
  blocksIn('ts')
    .filter(({ at, tag }) => at.startsWith('docs/explorer.md:') && tag !== '')
    .map(({ tag, text }) => [tag, text]),
);
/** The outputs of the judge in docs/explorer.md, with the arguments of their commands. */
export const outputs = blocksIn('text', [pageOf('docs/explorer.md')]).flatMap((block) => {
  const [, args] = /^npm run judge -- (.+)/.exec(commandBefore(block).text) ?? [];
  const [file = '', ...options] = args?.split(' ') ?? [];
  return args === undefined ? [] : [{ ...block, file, options }];
});

/** The fault that each strategy has without its lock. */
const falls: Record<string, string> = {
  'my-strategy.ts': 'OVERSOLD',
  'my-worker.ts': 'TWICE',
  'my-handler.ts': 'TWICE',
  'my-line.ts': 'OVERSOLD',
};
const LOCK = /\.for\('update'.*?\)|await lockJob\(tx, request\);/;

/** Judges a strategy of a page. `change` may change its code. */
async function judgeShown(name: string, options: string[], change = (text: string) => text) {
  const file = path.join(makeTmpDir(), name);
  writeFileSync(file, change(strategies.get(name) ?? ''));
  const command = run('scripts/judge.ts', [file, ...options], {
    DATABASE_URL: inject('scratchUrl'),
  });
  return { ...(await command.ended), stdout: command.stdout(), stderr: command.stderr() };
}

/** Asserts that the strategy has its fault without its lock. */
export async function expectFall({ file, options }: (typeof outputs)[number]) {
  const { code, stdout, stderr } = await judgeShown(file, options, (all) => all.replace(LOCK, ''));
  expect(code, stderr).toBe(1);
  expect(stdout).toContain(falls[file]);
}

/** Asserts that the judge prints each line that the page shows. */
export async function expectOutput({ file, options, text }: (typeof outputs)[number]) {
  const { code, stdout, stderr } = await judgeShown(file, options);
  expect(code, stderr).toBe(0);
  for (const line of text.trimEnd().split('\n')) expect(stdout.split('\n')).toContain(line);
}
