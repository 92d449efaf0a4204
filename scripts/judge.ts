import type { Stage } from '../src/explorer/stage.ts';
import type { Chapter } from '../src/lab/chapter.ts';
import { claims } from '../src/lab/chapters/claims/index.ts';
import { chapters } from '../src/lab/chapters/index.ts';
import { playOrders } from '../src/lab/explorations/play-orders.ts';
import { faultOfFile } from '../src/lab/judge/fault-of-file.ts';
import {
  type Check,
  crowdCheck,
  type Judged,
  type Judgement,
  judge,
} from '../src/lab/judge/judge.ts';
import { loadStrategy } from '../src/lab/judge/load-strategy.ts';
import { inFolder, lineAbout } from '../src/lab/judge/place.ts';
import { MOST_SESSIONS } from '../src/lab/judge/searches.ts';
import { typeError } from '../src/lab/judge/type-error.ts';
import { watchLocks } from '../src/lab/judge/unsent.ts';
import { sourceOfFile } from '../src/lab/own/own.ts';
import { drawOrders } from '../src/lab/pages/map/draw-orders.ts';
import { treeOf } from '../src/lab/pages/map/orders.ts';
import {
  chapterOption,
  isProgram,
  limitOption,
  programOptions,
  sourceOfProgram,
} from '../src/lab/programs/options.ts';
import { aFile, callersFile } from '../src/platform/process/callers-file.ts';
import { flag, json, runCommand, type Values } from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { withStages } from './arena.ts';
import { chooseChapterIfNamed } from './chosen.ts';
import { fileOption, mostInHelp } from './options.ts';
import { withOwnFile } from './own-file.ts';
import { explainProgram, withProgramStage } from './own-program.ts';
import { paint } from './paint.ts';
import { replayCommand } from './replay-command.ts';
import { expectWritable, writeOrExplain } from './writing.ts';

const options = {
  file: { ...fileOption, words: 'the same as FILE.ts alone' },
  ...programOptions,
  ...limitOption,
  chapter: { ...chapterOption, usual: `the chapter that the file tells, or ${chapters[0].name}` },
  mutants: flag(
    'judge damaged copies of the right strategies, of all or of each STRATEGY, and say how many are caught',
  ),
  map: {
    ...aFile,
    words:
      'write all orders of one situation as a picture (SVG): the first with a fault, or else the first',
  },
  first: flag('end with the first schedule that has a fault, without the counts'),
  json,
};

const command = {
  name: 'judge',
  purpose: 'Judges a strategy of your own in every schedule.',
  usage: [
    'FILE.ts [options]',
    '--server COMMAND [options]',
    '--module FILE.mjs [options]',
    '--server COMMAND --schema FILE.sql --invariant QUERY',
    '--mutants [STRATEGY]...',
  ],
  about: `FILE.ts may be anywhere on the disk. Its default export is a strategy, or only
the function of a strategy. The name of the function tells its chapter. The chapters,
each with an example of an export:

${chapters.map(({ name, example }) => `  ${name.padEnd(10)} ${example}`).join('\n')}

The file may import this project's files as rowlock/…, and the packages that the
project has. Every schedule of two sessions is played, in every situation of the
chapter. If schedules of a file differ only in the order of steps that commute, the
judge plays one of them. Where there may be very many, the first ${mostInHelp} are played. For claims,
the first ${claims.mostOfThree} schedules of three recruiters follow. Then eight sessions
race at full speed. The verdict says what was not played. If the types of the file are
wrong, the first mistake is printed on stderr, before the verdict. The first
counterexample is printed on stderr as soon as it is found, while the judge plays on.
The verdict shows the clearest counterexample, and a command for each other fault,
which plays it again.

A program in any language takes part by --server. docs/any-language.md has examples.`,
  operands: {
    'FILE.ts': 'the file with your strategy',
    STRATEGY: 'with --mutants: a strategy of the project, such as claims/row-lock',
  },
  options,
  notes: `Exit code: 0 when the strategy holds, 1 when it falls, 2 when it cannot be judged:
the file does not compile or has no default export, the program does not start, or the
strategy hangs or cannot be played. With --mutants: 0 if the
survivors are exactly the mutants in proof/mutants/survivors.ts, and 1 otherwise.`,
  // The exit code 1 always means that the strategy falls.
  failureCode: 2,
};

const EXIT = { holds: 0, falls: 1, hangs: command.failureCode } as const;

runCommand(command, async (options, stop, operands) => {
  if (options.map !== undefined) expectWritable('the map', options.map);
  if (options.mutants) {
    assertNothingElse(options);
    const { judgeMutants } = await import('./judge-mutants.ts');
    return judgeMutants(operands, stop);
  }
  const [named, ...rest] = options.file === undefined ? operands : [options.file, ...operands];
  const asked = chooseChapterIfNamed(options.chapter);
  if (isProgram(options)) {
    if (named !== undefined)
      throw new UsageError(`A program is judged without a file, so ${named} has no place here.`);
    return judgeProgram(asked ?? chapters[0], options, stop);
  }
  if (named === undefined || rest.length > 0)
    throw new UsageError('One file is needed: npm run judge -- my-strategy.ts');
  const file = callersFile(named);
  return withOwnFile('judge', file, stop, async () => {
    const judged = await loadStrategy(asked, file);
    const source = sourceOfFile(file, judged.chapter.name);
    const mistake = await typeError(file, stop);
    if (mistake) print(`${paint('red', mistake)}\n`, process.stderr);
    const unsent = watchLocks();
    return withStages(stop, async (stages) => {
      const judgement = await judge(stages, judged, {
        ...callbacks(judged, source, options, stop),
        explain: (played) => faultOfFile(played, file),
        aboutCode: () => aboutLock(unsent(), file),
      });
      if (judged.isGuess && judgement.verdict !== 'holds') sayGuess(file, judged.chapter);
      const code = tellJudgement(judgement, judged, source, options);
      await drawMap(stages[0], judged, judgement, options);
      return code;
    });
  });
});

function assertNothingElse({ mutants, ...others }: Options) {
  const given = Object.entries(others).find(([, value]) => value !== undefined && value !== false);
  if (given) throw new UsageError(`--${given[0]} has no effect with --mutants. Leave it out.`);
}

function aboutLock(unsent: Error | undefined, file: string) {
  return unsent && lineAbout(unsent, file);
}

function sayGuess(file: string, { name }: Chapter) {
  const functions = chapters.map(({ entry }) => entry).join(', ');
  const line = `${inFolder(file)} is judged as a strategy of ${name}, since its function has none of the names ${functions}. --chapter names another chapter.`;
  clearProgress();
  print(`${line}\n`, process.stderr);
}

type Options = Values<typeof options>;

function judgeProgram(chapter: Chapter, options: Options, stop: AbortSignal): Promise<number> {
  const source = sourceOfProgram(options);
  const wanted = { chapter, sessions: MOST_SESSIONS };
  return withProgramStage(options, wanted, stop, async (stage, judged, atFullSpeed) => {
    const told = callbacks(judged, source, options, stop);
    const crowd = () => atFullSpeed((free, again) => crowdCheck(free, again, told.onStep));
    const judgement = await judge([stage], judged, {
      ...told,
      explain: explainProgram,
      crowd,
      isProgram: true,
    });
    const code = tellJudgement(judgement, judged, source, options);
    await drawMap(stage, judged, judgement, options);
    const hint = hintOf(judgement, chapter, options);
    if (hint) print(`${hint}\n`, process.stderr);
    return code;
  });
}

/** Writes the picture of all orders, if a person has asked for it. */
async function drawMap(
  stage: Stage,
  judged: Judged,
  { checks, verdict }: Judgement,
  { map: file }: Options,
) {
  if (file === undefined) return;
  clearProgress();
  if (verdict === 'hangs') return void print('There is no map: it hangs.\n', process.stderr);
  const { chapter, strategy } = judged;
  const situations = chapter.situationsOf(strategy);
  const fallen = checks.find(({ holds, situation }) => !holds && situation !== null);
  const situation = situations.find(({ name }) => name === fallen?.situation) ?? situations[0];
  const { map } = await playOrders(stage, judged, situation);
  const picture = drawOrders(treeOf(map.orders), { faults: chapter.faults });
  writeOrExplain('the map', file, picture);
  const all = map.isComplete ? `all ${map.orders.length}` : `the first ${map.orders.length}`;
  print(`\n${inFolder(file)} shows ${all} orders of ${map.situation}.\n`, process.stderr);
}

/** Returns a line about a limit in the program's own code, if this limit explains every fault. */
function hintOf({ checks }: Judgement, { programs }: Chapter, options: Options) {
  const fallen = checks.filter(({ holds }) => !holds).map(({ situation }) => situation ?? '');
  if (fallen.length === 0 || options.capacity !== undefined || options.schema) return undefined;
  return programs?.hintOf(fallen);
}

/** Returns the callbacks that show a person how far the judge is, and its first counterexample. */
function callbacks(
  judged: Judged,
  source: readonly string[],
  { first, json }: Options,
  stop: AbortSignal,
) {
  const onStep = (where: string) => {
    stop.throwIfAborted();
    showProgress(where);
  };
  const onFirst = (check: Check) => {
    clearProgress();
    print(`${describeFirst(check, judged, source)}\n\n`, process.stderr);
  };
  return { onStep, endsAtFirst: first, ...(!first && !json && { onFirst }) };
}

function describeFirst(check: Check, judged: Judged, source: readonly string[]): string {
  return [
    `${paint('red', 'FALLS')}  ${check.check} (${check.detail} of ${check.situation})`,
    check.counterexample?.transcript,
    `replay: ${replayOf(check, judged, source)}`,
    '',
    'The judge now plays the other schedules. With --first, it ends here.',
  ].join('\n');
}

/** Prints the judgement, and returns the exit code. */
function tellJudgement(
  judgement: Judgement,
  judged: Judged,
  source: readonly string[],
  { json }: Options,
): number {
  clearProgress();
  print(`${json ? JSON.stringify(judgement) : describe(judgement, judged, source)}\n`);
  return EXIT[judgement.verdict];
}

const WORDS = {
  holds: 'it holds.',
  falls: 'it falls.',
  hangs: 'it hangs, so it cannot be judged.',
} as const;

/** Describes every check in a line, and shows the counterexample of the gravest fault. */
function describe(
  { strategy, verdict, checks, unchecked, unplayed, remarks, error }: Judgement,
  judged: Judged,
  source: readonly string[],
) {
  const fallen = checks.filter(({ holds }) => !holds);
  const shown = judged.chapter.faults
    .flatMap(({ name }) => fallen.filter(({ fault }) => fault === name))
    .find(({ counterexample }) => counterexample);
  const others = fallen.filter((each) => each !== shown && each.counterexample);
  const command = (check: Check) => `replay: ${replayOf(check, judged, source)}`;
  return [
    ...linesOf(checks),
    ...unchecked.map((fact) => `not checked  ${fact}`),
    ...unplayed.map((orders) => `not played  ${orders}`),
    ...remarks.map((remark) => `remark  ${remark}`),
    ...(shown
      ? [
          '',
          `This rule is broken: ${shown.check}`,
          shown.counterexample?.transcript,
          command(shown),
        ]
      : []),
    ...(others.length > 0 ? ['', 'The other broken rules:'] : []),
    ...others.flatMap((each) => [each.check, `  ${command(each)}`]),
    ...(error ? ['', paint('red', error)] : []),
    '',
    `Verdict on ${strategy}: ${WORDS[verdict]}`,
  ].join('\n');
}

/** Returns a line for each situation in which every rule holds, and for each broken rule. */
function linesOf(checks: readonly Check[]): string[] {
  const places = new Map<string, Check[]>();
  for (const check of checks) places.set(check.where, [...(places.get(check.where) ?? []), check]);
  return [...places].flatMap(([where, all]) => {
    const fallen = all.filter(({ holds }) => !holds);
    if (fallen.length > 0)
      return fallen.map(({ check, detail }) => `${paint('red', 'FALLS')}  ${check} (${detail})`);
    return `${paint('green', 'holds')}  ${where} (${all[0]?.detail})`;
  });
}

const replayOf = (
  { situation, counterexample }: Check,
  judged: Judged,
  source: readonly string[],
) => replayCommand(judged, { name: situation ?? '' }, counterexample?.schedule ?? '', source);
