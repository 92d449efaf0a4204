import { hasMirrors, type Played } from '../src/explorer/explore.ts';
import { type Strategy, sessionsIn } from '../src/lab/chapter.ts';
import { faultOfFile } from '../src/lab/judge/fault-of-file.ts';
import { sourceOfFile } from '../src/lab/own/own.ts';
import {
  chapterOption,
  isProgram,
  limitOption,
  programOptions,
  sourceOfProgram,
} from '../src/lab/programs/options.ts';
import { brokePromise } from '../src/lab/race/report.ts';
import {
  flag,
  json,
  needed,
  runCommand,
  type Values,
  whole,
} from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress } from '../src/platform/process/progress.ts';
import {
  type Chosen,
  chooseChapter,
  chooseChapterIfNamed,
  chooseSituation,
  chooseStrategies,
} from './chosen.ts';
import { exploreAll, exploreOne, type Result } from './explore-all.ts';
import { type Asked, asJson, describe } from './explore-report.ts';
import { checkByTester } from './isolation.ts';
import {
  fileOption,
  mostInHelp,
  sessionsOption,
  situationOption,
  strategyOption,
} from './options.ts';
import { chooseFile, withOwnFile } from './own-file.ts';
import { explainProgram, withProgramStage } from './own-program.ts';

const options = {
  chapter: chapterOption,
  strategy: { ...strategyOption, usual: 'all strategies of the chapter' },
  file: fileOption,
  ...programOptions,
  ...limitOption,
  situation: situationOption,
  sessions: sessionsOption,
  most: {
    ...whole(1, 1_000_000),
    words: 'the most schedules a strategy',
    usual: `all; in situations that may have thousands, ${mostInHelp}`,
  },
  'leave-out-mirrored': flag(
    'leave out each schedule that is another schedule with the two sessions exchanged; only where the sessions are identical',
  ),
  'leave-out-commuting': flag(
    'leave out each schedule that differs from another only in the order of steps that commute; the same faults, in fewer schedules (docs/explorer.md)',
  ),
  isolation: {
    value: 'DIR',
    type: needed('a folder'),
    words:
      "play the schedules with PostgreSQL's own isolationtester too, and compare; the folder DIR gets the specs and the output (docs/isolationtester.md)",
  },
  json,
};

const command = {
  name: 'explore',
  purpose: "Plays every order of the sessions' steps on a real PostgreSQL.",
  options,
  notes: `A schedule is the order of the sessions' steps. In 1,1,2, session 1 makes two steps,
and then session 2 makes one. At t, time passes. At k1, the process of session 1 dies.
docs/explorer.md explains steps. The proofs are for two sessions: exhaustive for 2
sessions at statement granularity. Where not every schedule was played, the table says so.

Exit code: 0 when every strategy kept its promise in every schedule, 1 when a strategy
broke its promise, 2 when the command could not run as asked. With --isolation: 1 when
isolationtester saw something else.`,
  // The exit code 1 always means a broken promise.
  failureCode: 2,
};

runCommand(command, async (options, stop) => {
  assertOneKind(options);
  const { chapter, strategy, situation, file } = options;
  if (isProgram(options)) return runProgram(options, stop);
  if (file === undefined)
    return run(chooseStrategies(strategy, situation, chooseChapterIfNamed(chapter)), options, stop);
  return withOwnFile('explore', file, stop, async () =>
    run(await chooseFile(file, chapter), options, stop),
  );
});

type Options = Values<typeof options>;

/** Throws a `UsageError` if two options contradict each other. */
function assertOneKind(options: Options) {
  const { isolation, strategy, file } = options;
  if (isolation !== undefined && options.json)
    throw new UsageError('Only one of --isolation and --json can be given.');
  const [left, other] = (['leave-out-mirrored', 'leave-out-commuting'] as const).filter(
    (name) => options[name],
  );
  if (isolation !== undefined && left)
    throw new UsageError(`--isolation uses all schedules, not --${left}.`);
  if (left && other) throw new UsageError(`Only one of --${left} and --${other} can be given.`);
  if (isolation !== undefined && file !== undefined)
    throw new UsageError('--isolation uses strategies of the lab, not --file.');
  if (strategy && file !== undefined)
    throw new UsageError('Only one of --strategy and --file can be given.');
  if (isProgram(options) && (strategy ?? file ?? isolation) !== undefined)
    throw new UsageError(
      '--server and --module cannot be used with --strategy, --file or --isolation.',
    );
}

function leftOutBy(options: Options) {
  return {
    leavesOutMirrored: options['leave-out-mirrored'],
    leavesOutCommuting: options['leave-out-commuting'],
  };
}

/** Explores the chosen strategies, and returns the exit code. */
async function run(chosen: Chosen, options: Options, stop: AbortSignal): Promise<number> {
  const { isolation, file } = options;
  const leftOut = leftOutBy(options);
  const { chapter, strategies } = chosen;
  const situation = chooseSituation(chosen, options.situation);
  const sessions = sessionsIn(situation, options.sessions);
  const bounded = { ...situation, most: options.most ?? situation.most };
  const all = { chapter, strategies, situation: bounded, sessions };
  if (isolation !== undefined) return await checkByTester(isolation, all, stop);
  if (leftOut.leavesOutMirrored) assertMirrors({ chapter, situation, sessions }, strategies);
  const wanted = strategies.map((strategy) => ({
    chapter,
    strategy,
    situation: bounded,
    sessions,
  }));
  const results = await exploreAll(wanted, stop, leftOut);
  const source = file === undefined ? undefined : sourceOfFile(file, chapter.name);
  const explain = file === undefined ? undefined : (played: Played) => faultOfFile(played, file);
  return report(results, { chapter, situation, sessions, ...leftOut, source, explain }, options);
}

/** Explores a program in any language. */
function runProgram(options: Options, stop: AbortSignal): Promise<number> {
  const chapter = chooseChapter(options.chapter);
  const { sessions } = options;
  const leftOut = leftOutBy(options);
  return withProgramStage(options, { chapter, sessions }, stop, async (stage, judged) => {
    const { chapter, strategy } = judged;
    const situation = chooseSituation({ chapter, strategies: [strategy] }, options.situation);
    if (leftOut.leavesOutMirrored) assertMirrors({ chapter, situation, sessions }, [strategy]);
    const bounded = { ...situation, most: options.most ?? situation.most };
    const wanted = { ...judged, situation: bounded, sessions };
    const result = await exploreOne([stage], wanted, stop, leftOut);
    clearProgress();
    const source = sourceOfProgram(options);
    return report(
      [result],
      { chapter, situation, sessions, ...leftOut, source, explain: explainProgram },
      options,
    );
  });
}

/** Prints the results, and returns the exit code. */
function report(results: Result[], asked: Asked, { json }: Options): number {
  if (json) print(`${JSON.stringify(results.map((each) => asJson(each, asked)))}\n`);
  else print(`${describe(results, asked)}\n`);
  const broken = results.filter(({ strategy: { promise }, faults }) =>
    brokePromise(asked.chapter, { promise, faults }),
  );
  return broken.length > 0 ? 1 : 0;
}

function assertMirrors({ chapter, situation, sessions }: Asked, strategies: readonly Strategy[]) {
  const isMirrored = (strategy: Strategy) =>
    hasMirrors(chapter.trial(strategy, situation, sessions));
  if (strategies.every(isMirrored)) return;
  throw new UsageError(
    `The situation ${situation.name} has no two identical sessions, so no schedule is a mirror.`,
  );
}
