import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { claimSettings } from '../src/lab/chapters/claims/situations.ts';
import { strategies } from '../src/lab/chapters/claims/strategies/index.ts';
import { fileOf } from '../src/lab/syllabus/source.ts';
import { findingOf, inAWord, type Verdict } from '../src/lab/syllabus/verdicts.ts';
import { PlainError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { print } from '../src/process/print.ts';
import { inProject } from '../src/process/project.ts';
import { exploreAll, type Result } from './explore-all.ts';
import { readOptions } from './options.ts';

const HELP = `Explores every strategy in every setting, and writes what it found into docs/strategies.md
and src/lab/syllabus/verdicts.json.

Usage: npm run matrix [-- --check]

  --check            change nothing; exit with 1 when one of them is stale
  --help             show this
`;

const rules = z.object({ check: z.boolean().default(false), help: z.boolean().default(false) });
const page = inProject('docs/strategies.md');
const verdictsFile = inProject('src/lab/syllabus/verdicts.json');
const BEGIN = '<!-- matrix: written by npm run matrix -->';
const END = '<!-- end of matrix -->';

runMain(async (stop) => {
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('matrix', rules, { options: { check: flag, help: flag } });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const written = readFileSync(page, 'utf8');
  const [before, after] = [written.indexOf(BEGIN), written.indexOf(END)];
  if (before < 0 || after < before) throw new PlainError(`docs/strategies.md has no line ${BEGIN}`);
  const bySetting: Result[][] = [];
  for (const setting of claimSettings)
    bySetting.push(await exploreAll(strategies, setting, 2, stop));
  assertVerdicts(bySetting);
  const fresh = new Map<string | URL, string>([
    [page, `${written.slice(0, before)}${BEGIN}\n${table(bySetting)}\n${written.slice(after)}`],
    [verdictsFile, `${JSON.stringify(verdicts(bySetting), null, 2)}\n`],
  ]);
  const stale = [...fresh].filter(([file, text]) => text !== contentOf(file));
  if (stale.length === 0) {
    print('docs/strategies.md and verdicts.json are up to date.\n');
    return 0;
  }
  if (options.check)
    throw new PlainError('docs/strategies.md or verdicts.json is stale: npm run matrix');
  for (const [file, text] of stale) writeFileSync(file, text);
  print('docs/strategies.md and verdicts.json are written anew.\n');
  return 0;
});

const contentOf = (file: string | URL) =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;

/** A strategy must keep its promise, and one that promises nothing must be caught in some schedule. */
function assertVerdicts(bySetting: Result[][]) {
  for (const [index, { name, promise }] of strategies.entries()) {
    const oversold = bySetting.some((results) => (results[index]?.faults.oversold ?? 0) > 0);
    if (oversold && promise === 'capacity') throw new PlainError(`${name} broke its promise.`);
    if (!oversold && promise === 'nothing') throw new PlainError(`${name} was not caught.`);
  }
}

/** A row a strategy; in each setting how many of its schedules go wrong, and how. */
function table(bySetting: Result[][]): string {
  const head = ['strategy', 'promises', ...claimSettings.map(({ idea }) => idea), 'verdict'];
  const rows = strategies.map((strategy, index) => {
    const results = bySetting.flatMap((results) => results[index] ?? []);
    const name = `[\`${strategy.name}\`](../${fileOf(strategy.name)})`;
    return [name, strategy.promise, ...results.map(cell), mark(results)];
  });
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const FAULTS = {
  oversold: 'oversold',
  unsold: 'unsold',
  untrue: 'untrue',
  deadlock: 'deadlock',
  error: 'error',
  hang: 'hang',
};

function cell({ schedules, faults }: Result): string {
  const wrong = Object.entries(FAULTS).flatMap(([fault, word]) =>
    faults[fault] ? [`**${faults[fault]}** ${word}`] : [],
  );
  return wrong.length ? `${wrong.join(', ')} of ${schedules}` : `0 of ${schedules}`;
}

function verdicts(bySetting: Result[][]): Record<string, Verdict> {
  const entries = strategies.map(({ name }, index): [string, Verdict] => {
    const found = bySetting.flatMap((results) => results[index] ?? []).map(findingOf);
    const settings = found.map((finding, at) => [claimSettings[at]?.name, finding]);
    return [name, { verdict: inAWord(found), settings: Object.fromEntries(settings) }];
  });
  return Object.fromEntries(entries);
}

/** The verdict as the table has it. */
function mark(results: Result[]): string {
  const word = inAWord(results);
  return `${word === 'holds' ? '✓' : '✗'} ${word}`;
}
