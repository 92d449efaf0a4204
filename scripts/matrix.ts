import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Chapter, type Situation, type Strategy, sessionsIn } from '../src/lab/chapter.ts';
import { addressOf, allStrategies, chapters, leftOut } from '../src/lab/chapters/index.ts';
import { brokePromise } from '../src/lab/race/report.ts';
import { fileOf } from '../src/lab/syllabus/source.ts';
import { proofOf, verdictOn, type WrittenVerdict } from '../src/lab/syllabus/verdicts.ts';
import { flag, runCommand } from '../src/platform/process/command.ts';
import { PlainError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { inProject } from '../src/platform/process/project.ts';
import { situationsOf } from './chosen.ts';
import { exploreAll, type Result, type Wanted } from './explore-all.ts';

const command = {
  name: 'matrix',
  purpose: `Explores every strategy in every situation, and writes the results into docs/strategies.md
and workshop/verdicts.generated.json.`,
  options: { check: flag('change nothing, and exit with 1 if one of the files is out of date') },
};

const page = inProject('docs/strategies.md');
const verdictsFile = inProject('workshop/verdicts.generated.json');
const BEGIN = '<!-- matrix: written by npm run matrix -->';
const END = '<!-- end of matrix -->';

/** The results of one strategy in all its situations. */
interface Explored {
  chapter: Chapter;
  strategy: Strategy;
  found: { situation: Situation; result: Result }[];
}

runCommand(command, async (options, stop) => {
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
    [verdictsFile, inLines(verdictsOf(explored))],
  ]);
  const stale = [...fresh].filter(([file, text]) => text !== contentOf(file));
  if (stale.length === 0) {
    print('docs/strategies.md and verdicts.generated.json are up to date.\n');
    return 0;
  }
  if (options.check)
    throw new PlainError(
      'docs/strategies.md or verdicts.generated.json is out of date. Run npm run matrix.',
    );
  for (const [file, text] of stale) writeFileSync(file, text);
  print('docs/strategies.md and verdicts.generated.json have been updated.\n');
  return 0;
});

/** Returns each strategy in each of its situations, in the order of the columns of the table. */
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

/** Throws if a strategy broke its promise, or if a strategy that promises nothing had no fault. */
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

/** Returns the heading, the question and the table of a chapter. */
const sectionOf = (explored: Explored[]): string => {
  const [{ chapter }] = explored as [Explored, ...Explored[]];
  return `## ${chapter.name}\n\n${chapter.question}\n\n${tableOf(explored)}`;
};

/**
 * Returns a table with a row for each strategy and a column for each situation. A cell counts the
 * schedules with each fault.
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

/** Returns the verdicts as JSON, with a line for each situation. */
function inLines(verdicts: Record<string, WrittenVerdict>): string {
  const strategies = Object.entries(verdicts).map(([address, { verdict, situations }]) => {
    const lines = Object.entries(situations).map(
      ([name, proof]) => `    ${JSON.stringify(name)}: ${JSON.stringify(proof)}`,
    );
    return `  ${JSON.stringify(address)}: { "verdict": ${JSON.stringify(verdict)}, "situations": {\n${lines.join(',\n')}\n  } }`;
  });
  return `{\n${strategies.join(',\n')}\n}\n`;
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
