import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { type Chapter, type Situation, type Strategy, sessionsIn } from '../src/lab/chapter.ts';
import { addressOf, allStrategies, chapters, leftOut } from '../src/lab/chapters/index.ts';
import { brokePromise } from '../src/lab/race/report.ts';
import { fileOf } from '../src/lab/syllabus/source.ts';
import { proofOf, verdictOn, type WrittenVerdict } from '../src/lab/syllabus/verdicts.ts';
import { PlainError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { inProject } from '../src/process/project.ts';
import { situationsOf } from './chosen.ts';
import { exploreAll, type Result, type Wanted } from './explore-all.ts';

const HELP = `Explores every strategy in every situation, and writes the results into docs/strategies.md
and src/lab/syllabus/verdicts.json.

Usage: npm run matrix [-- --check]

  --check            change nothing, and exit with 1 if one of the files is out of date
  --help             show this
`;

const rules = z.object({ check: z.boolean().default(false), help: z.boolean().default(false) });
const page = inProject('docs/strategies.md');
const verdictsFile = inProject('src/lab/syllabus/verdicts.json');
const BEGIN = '<!-- matrix: written by npm run matrix -->';
const END = '<!-- end of matrix -->';

/** The results of one strategy in all its situations. */
interface Explored {
  chapter: Chapter;
  strategy: Strategy;
  found: { situation: Situation; result: Result }[];
}

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
  const missing = leftOut(allStrategies);
  if (missing.length > 0) throw new PlainError(`The tables need every store. ${missing.join(' ')}`);
  const results = await exploreAll(chapters.flatMap(wantedIn), stop);
  const byChapter = chapters.map((chapter) => exploredIn(chapter, results));
  const explored = byChapter.flat();
  for (const each of explored) assertVerdict(each);
  const tables = byChapter.map(sectionOf).join('\n\n');
  const fresh = new Map<string | URL, string>([
    [page, `${written.slice(0, before)}${BEGIN}\n${tables}\n${written.slice(after)}`],
    [verdictsFile, `${JSON.stringify(verdictsOf(explored), null, 2)}\n`],
  ]);
  const stale = [...fresh].filter(([file, text]) => text !== contentOf(file));
  if (stale.length === 0) {
    print('docs/strategies.md and verdicts.json are up to date.\n');
    return 0;
  }
  if (options.check)
    throw new PlainError('docs/strategies.md or verdicts.json is out of date. Run npm run matrix.');
  for (const [file, text] of stale) writeFileSync(file, text);
  print('docs/strategies.md and verdicts.json have been updated.\n');
  return 0;
});

/** The strategies in each of their situations, in the order of the situations in the table. */
function wantedIn(chapter: Chapter): Wanted[] {
  const { strategies } = chapter;
  return situationsOf(chapter).flatMap((situation) => {
    const sessions = sessionsIn(situation, 2);
    const tried = strategies.filter((each) => chapter.situationsOf(each).includes(situation));
    return tried.map((strategy) => ({ chapter, strategy, situation, sessions }));
  });
}

function exploredIn(chapter: Chapter, results: readonly Result[]): Explored[] {
  return chapter.strategies.map((strategy) => {
    const own = results.filter((result) => result.strategy === strategy);
    const found = own.map((result) => ({ situation: result.situation, result }));
    return { chapter, strategy, found };
  });
}

const contentOf = (file: string | URL) =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;

/** A strategy must keep its promise. A strategy that promises nothing must have a fault. */
function assertVerdict({ chapter, strategy, found }: Explored) {
  const { promise } = strategy;
  const isBroken = found.some(({ result: { faults } }) =>
    brokePromise(chapter, { promise, faults }),
  );
  if (isBroken) throw new PlainError(`${addressOf({ chapter, strategy })} broke its promise.`);
  const isFaulty = found.some(({ result }) => Object.keys(result.faults).length > 0);
  if (promise === 'nothing' && !isFaulty)
    throw new PlainError(`${addressOf({ chapter, strategy })} was not caught.`);
}

/** A heading, and the table of the chapter. */
const sectionOf = (explored: Explored[]): string => {
  const [{ chapter }] = explored as [Explored, ...Explored[]];
  return `## ${chapter.name}\n\n${chapter.question}\n\n${tableOf(explored)}`;
};

/**
 * A row for each strategy, and a cell for each situation. A cell counts the schedules with each
 * fault.
 */
function tableOf(explored: Explored[]): string {
  const situations = explored[0] ? situationsOf(explored[0].chapter) : [];
  const head = ['strategy', 'promises', ...situations.map(({ idea }) => idea), 'verdict'];
  const rows = explored.map(({ chapter, strategy, found }) => {
    const { name, promise } = strategy;
    const cells = situations.map((situation) => {
      const tried = found.find((each) => each.situation === situation);
      return tried ? cellOf(chapter, tried.result) : '';
    });
    const verdict = verdictOn(
      chapter,
      found.map(({ result }) => result),
    );
    const mark = verdict === 'holds' ? '✓' : '✗';
    return [
      `[\`${name}\`](../${fileOf({ chapter, strategy })})`,
      promise,
      ...cells,
      `${mark} ${verdict}`,
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function cellOf(chapter: Chapter, { schedules, isComplete, faults }: Result): string {
  const wrong = chapter.faults.flatMap(({ name }) =>
    faults[name] ? [`**${faults[name]}** ${name}`] : [],
  );
  return `${wrong.join(', ') || '0'} of ${isComplete ? '' : 'first '}${schedules}`;
}

const verdictsOf = (explored: Explored[]): Record<string, WrittenVerdict> =>
  Object.fromEntries(
    explored.map(({ chapter, strategy, found }) => {
      const proofs = found.map(
        ({ situation, result }) => [situation.name, proofOf(result)] as const,
      );
      const verdict = verdictOn(
        chapter,
        proofs.map(([, proof]) => proof),
      );
      return [
        addressOf({ chapter, strategy }),
        { verdict, situations: Object.fromEntries(proofs) },
      ];
    }),
  );
