import { z } from 'zod';
import { type Chapter, type Situation, type Strategy, sessionsIn } from '../src/lab/chapter.ts';
import { addressOf, chapters } from '../src/lab/chapters/index.ts';
import { counterexampleOf, hasMirrors } from '../src/lab/explore/explore.ts';
import { tell } from '../src/lab/explore/tell.ts';
import { brokePromise } from '../src/lab/race/report.ts';
import { UsageError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole, wholeNumber } from '../src/process/options.ts';
import { plainTable } from '../src/process/plain-table.ts';
import { print } from '../src/process/print.ts';
import {
  chooseChapterIfNamed,
  chooseSituation,
  chooseStrategies,
  mostInHelp,
  situationsInHelp,
} from './chosen.ts';
import { exploreAll, type Result } from './explore-all.ts';
import { compareOutput, writeSpecs } from './isolation.ts';
import { paint } from './paint.ts';

const HELP = `Plays every order of the sessions' steps on a real PostgreSQL.

Usage: npm run explore -- [options]

  --chapter NAME     ${chapters.map(({ name }) => name).join(' or ')} (default: the chapter of the strategies, or
                     ${chapters[0].name})
  --strategy NAME    a strategy such as claims/naive or naive; may be given several
                     times (default: all strategies of the chapter)
  --situation NAME   one of the chapter's situations (default: its first), which are
                     ${situationsInHelp}
  --sessions N       sessions at once (2 or 3, default 2); three take long, and some
                     situations have their own number
  --most N           the most schedules a strategy (default: all; in situations that may
                     have thousands, ${mostInHelp})
  --leave-out-mirrored
                     leave out each schedule that is another schedule with the two
                     sessions exchanged; only where the sessions are identical
  --isolation DIR    write the schedules into the folder DIR, as specs for PostgreSQL's own
                     isolationtester (docs/isolationtester.md)
  --compare FILE     compare the output of isolationtester in FILE with the schedules of
                     one strategy
  --json             print one JSON array on stdout, and nothing else there
  --help             show this

A schedule is the order of the sessions' steps. In 1,1,2, session 1 makes two steps,
and then session 2 makes one. At t, time passes. At k1, the process of session 1 dies.
docs/explorer.md explains steps. The proofs are for two sessions: exhaustive for 2
sessions at statement granularity. Where not every schedule was played, the table says so.

Exit code: 0 when every strategy kept its promise in every schedule, 1 when a strategy
broke its promise, 2 when the command could not run as asked. With --compare: 1 when
isolationtester saw something else. With --isolation: 0 when the specs were written.
`;

const rules = z.object({
  chapter: z.string().optional(),
  strategy: z.array(z.string()).optional(),
  situation: z.string().optional(),
  sessions: whole('--sessions', 2, 3, 2),
  most: wholeNumber('--most', 1, 1_000_000).optional(),
  'leave-out-mirrored': z.boolean().default(false),
  isolation: z.string().min(1, '--isolation needs a folder').optional(),
  compare: z.string().min(1, '--compare needs a file').optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** Every other failure ends with this code, so 1 always means a broken promise. */
const FAILED = 2;

runMain(async (stop) => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('explore', rules, {
    options: {
      chapter: text,
      strategy: { ...text, multiple: true },
      situation: text,
      sessions: text,
      most: text,
      'leave-out-mirrored': flag,
      isolation: text,
      compare: text,
      json: flag,
      help: flag,
    },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const { isolation, compare } = options;
  const leavesOutMirrored = options['leave-out-mirrored'];
  const isForTester = [isolation, compare].filter((each) => each !== undefined).length;
  if (isForTester + Number(options.json) > 1)
    throw new UsageError('Only one of --isolation, --compare and --json can be given.');
  if (isForTester && leavesOutMirrored)
    throw new UsageError('--isolation and --compare use all schedules, not --leave-out-mirrored.');
  const within = chooseChapterIfNamed(options.chapter);
  const chosen = chooseStrategies(options.strategy, options.situation, within);
  const { chapter, strategies } = chosen;
  const situation = chooseSituation(chosen, options.situation);
  const sessions = sessionsIn(situation, options.sessions);
  const bounded = { ...situation, most: options.most ?? situation.most };
  const all = { chapter, strategies, situation: bounded, sessions };
  if (isolation !== undefined) return await writeSpecs(isolation, all, stop);
  if (compare !== undefined) return await compareOutput(compare, all, stop);
  if (leavesOutMirrored) assertMirrors({ chapter, situation, sessions }, strategies);
  const wanted = strategies.map((strategy) => ({
    chapter,
    strategy,
    situation: bounded,
    sessions,
  }));
  const results = await exploreAll(wanted, stop, { leavesOutMirrored });
  const explored = { chapter, situation, sessions };
  if (options.json) print(`${JSON.stringify(results.map((each) => asJson(each, explored)))}\n`);
  else print(`${describe(results, explored)}\n`);
  const broken = results.filter(({ strategy: { promise }, faults }) =>
    brokePromise(chapter, { promise, faults }),
  );
  return broken.length > 0 ? 1 : 0;
}, FAILED);

function assertMirrors({ chapter, situation, sessions }: Asked, strategies: readonly Strategy[]) {
  const isMirrored = (strategy: Strategy) =>
    hasMirrors(chapter.trial(strategy, situation, sessions));
  if (strategies.every(isMirrored)) return;
  throw new UsageError(
    `The situation ${situation.name} has no two identical sessions, so no schedule is a mirror.`,
  );
}

interface Asked {
  chapter: Chapter;
  situation: Situation;
  sessions: number;
}

function asJson(result: Result, { chapter, situation, sessions }: Asked) {
  const { strategy, schedules, isComplete, faults, serializationFailures, milliseconds } = result;
  const { leftOut } = result;
  const played = counterexampleOf(result, chapter.faults);
  return {
    chapter: chapter.name,
    strategy: strategy.name,
    promise: strategy.promise,
    situation: situation.name,
    sessions,
    schedules,
    isComplete,
    ...(leftOut !== undefined && { mirroredLeftOut: leftOut }),
    faults,
    serializationFailures,
    counterexample: played
      ? { schedule: played.schedule.join(','), transcript: tell(played).transcript }
      : null,
    milliseconds,
  };
}

function describe(results: Result[], asked: Asked): string {
  const { chapter, situation, sessions } = asked;
  const kinds = chapter.faults
    .map(({ name }) => name)
    .filter((name, index) => index === 0 || results.some(({ faults }) => faults[name]));
  const isComplete = results.every((each) => each.isComplete);
  const isHalved = results.some(({ leftOut }) => leftOut !== undefined);
  const head = [
    'strategy',
    'schedules',
    ...(isHalved ? ['left out'] : []),
    ...kinds,
    'serialization',
    'ms',
  ];
  const red = (count = 0) => (count > 0 ? paint('red', String(count)) : String(count));
  const rows = results.map(
    ({ strategy, schedules, isComplete, faults, serializationFailures, milliseconds, leftOut }) => [
      strategy.name,
      isComplete ? schedules : `first ${schedules}`,
      ...(leftOut === undefined ? [] : [leftOut]),
      ...kinds.map((kind) => red(faults[kind])),
      serializationFailures,
      milliseconds,
    ],
  );
  return [
    `Situation ${situation.name}: ${situation.idea}.`,
    `${whichSchedules(isComplete, isHalved)} of ${count(sessions, chapter.session)}, on a real PostgreSQL.${afterwardsOf(chapter)}`,
    '',
    plainTable(
      head,
      rows,
      head.map((_, column) => column).filter((column) => column > 0),
    ),
    '',
    ...results.flatMap((result) => describeCounterexample(result, asked)),
    ...(isHalved ? [LEFT_OUT] : []),
    isComplete
      ? `Exhaustive for ${count(sessions, sessionWords)} at statement granularity.`
      : 'Not exhaustive: "first" counts the schedules with the fewest switches. --most N plays more.',
  ].join('\n');
}

const afterwardsOf = ({ afterwards }: Chapter) => (afterwards ? ` Afterwards ${afterwards}.` : '');

function whichSchedules(isComplete: boolean, isHalved: boolean): string {
  const which = isComplete ? 'Every schedule' : 'The first schedules';
  return isHalved ? `${which}, without mirrored schedules,` : which;
}

const LEFT_OUT =
  'Left out: mirrored schedules. In the mirror of a schedule the two sessions change places, and\n' +
  'the end is the same. So each count is half of the whole.';

const sessionWords = { one: 'session', many: 'sessions' };

const count = (number: number, { one, many }: Chapter['session']) =>
  `${number} ${number === 1 ? one : many}`;

function describeCounterexample(result: Result, { chapter, situation }: Asked): string[] {
  const played = counterexampleOf(result, chapter.faults);
  if (!played) return [];
  const { strategy } = result;
  const elsewhere =
    situation === chapter.situationsOf(strategy)[0] ? '' : ` --situation ${situation.name}`;
  const command = `npm run replay -- ${addressOf({ chapter, strategy })} ${played.schedule.join(',')}`;
  return [
    paint('bold', strategy.name),
    tell(played).transcript,
    `replay: ${command}${elsewhere}`,
    '',
  ];
}
