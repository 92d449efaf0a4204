import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { makeTmpDir, run } from '../support/command.ts';
import { blocksIn, commandBefore, pageOf } from '../support/pages.ts';

/** The strategies on the page, by the names of their files. Files on other pages are no strategies. */
const strategies = new Map(
  blocksIn('ts')
    .filter(({ at, tag }) => at.startsWith('docs/explorer.md:') && tag !== '')
    .map(({ tag, text }) => [tag, text]),
);
/** The outputs of the judge on the page, with the arguments of their commands. */
const outputs = blocksIn('text', [pageOf('docs/explorer.md')]).flatMap((block) => {
  const [, args] = /^npm run judge -- (.+)/.exec(commandBefore(block).text) ?? [];
  const [file = '', ...options] = args?.split(' ') ?? [];
  return args === undefined ? [] : [{ ...block, file, options }];
});

test('every strategy that the page shows is judged there', () => {
  expect(outputs.map(({ file }) => file)).toEqual([...strategies.keys()]);
});

/** The fault that each strategy has without its lock. */
const falls: Record<string, string> = {
  'my-strategy.ts': 'OVERSOLD',
  'my-worker.ts': 'TWICE',
  'my-handler.ts': 'TWICE',
};
const LOCK = /\.for\('update'.*?\)/;

/** Judges a strategy of a page. `change` may change its code. */
async function judge(name: string, options: string[], change = (text: string) => text) {
  const file = path.join(makeTmpDir(), name);
  writeFileSync(file, change(strategies.get(name) ?? ''));
  const command = run('scripts/judge.ts', [file, ...options], {
    DATABASE_URL: inject('scratchUrl'),
  });
  return { ...(await command.ended), stdout: command.stdout(), stderr: command.stderr() };
}

describe.each(outputs)('the strategy before $at', ({ file, options, text }) => {
  test('has this output', async () => {
    const { code, stdout, stderr } = await judge(file, options);
    expect(code, stderr).toBe(0);
    for (const line of text.trimEnd().split('\n')) expect(stdout.split('\n')).toContain(line);
  });

  test('falls without its lock', async () => {
    const { code, stdout, stderr } = await judge(file, options, (all) => all.replace(LOCK, ''));
    expect(code, stderr).toBe(1);
    expect(stdout).toContain(falls[file]);
  });
});
