import { accessSync, constants, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { prepareDatabase } from '../src/db/migrate.ts';
import type { Chapter } from '../src/lab/chapter.ts';
import { adopt, chapters, quoted } from '../src/lab/chapters/index.ts';
import {
  isProgram,
  PROGRAM_HELP,
  programFlags,
  programOptions,
} from '../src/lab/programs/options.ts';
import { type Costs, costsOf, type RoundCosts } from '../src/lab/race/costs.ts';
import { type CrashChapter, hasCrashes } from '../src/lab/race/crashes/crashes.ts';
import {
  listStrategies,
  type RaceOrder,
  type RaceResult,
  race,
  type StrategyInfo,
  type TimedRound,
} from '../src/lab/race/race.ts';
import { hasRequests, type RequestChapter } from '../src/lab/race/report.ts';
import { Trace } from '../src/lab/race/trace.ts';
import { openScratch } from '../src/postgres/scratch.ts';
import { aFile } from '../src/process/callers-file.ts';
import { UsageError } from '../src/process/errors.ts';
import { openLog } from '../src/process/log.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';
import { readOptions, whole, wholeNumber } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { startService } from '../src/service/service.ts';
import {
  type Chosen,
  chooseChapter,
  chooseChapterIfNamed,
  chooseStrategies,
  strategyNames,
  WHOLE,
} from './chosen.ts';
import { raceCrashes } from './crash-demo.ts';
import { buildDist } from './dist.ts';
import { chooseFile, withOwnFile } from './own-file.ts';
import { raceProgram } from './program-race.ts';
import { exitCodeOf, tellRaces } from './tell-races.ts';

const shownInHelp = chapters
  .map(({ name, race: { shown } }) => shown.map((each) => `${name}/${each}`).join(', '))
  .join(', or\n                     ');

const HELP = `Races strategies at full speed, and counts the results in the tables.

Usage: npm run race-demo -- [options]

claims (the default): many claims of one job are sent at the same moment.
queue: workers do tasks, and some of the workers are killed at random moments.
retries: requests come several times at once, and some of the servers are killed.

  --chapter NAME     claims, queue or retries (default: the chapter of the strategies or of
                     the file, or claims)
  --strategy NAME    a strategy such as claims/naive or naive, all or claims/all; several
                     have commas between them, or an option each
                     (default: ${shownInHelp})
  --file FILE        the strategy in a TypeScript file of your own, in place of --strategy
                     (npm run judge -- --help says what the file exports)
${PROGRAM_HELP}
  --rounds N         rounds a strategy, each on fresh rows (1 to 100000, default 20)
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

Only for claims:
  --recruiters N     how many claim at the same moment (1 to 1000, default 5)
  --capacity N       slots of the job (1 to 1000, default 4)
  --url URL          race on a server that already runs in workshop mode; by default
                     the command starts a server on a database of its own
  --costs            also show the time of a round, and the transactions of a request
  --trace FILE       write what happened as a timeline (Chrome trace-event JSON) that
                     Perfetto opens: statements, waits, and who held the lock

Only for queue:
  --workers N        how many workers begin at the same moment (1 to 50, default 5)
  --tasks N          tasks that are due (1 to 1000, default 20)

Only for retries:
  --requests N       how many requests come at once, each on its own server (1 to 50,
                     default 12)
  --keys N           how many different keys the requests have (1 to 50, default 4)

Without --url, the command uses a new database on an embedded PostgreSQL or, if
DATABASE_URL is set, on the server there. It removes the database at the end.
A process that is killed loses its connection at once, and nothing of its program runs
again. PostgreSQL cannot tell this from SIGKILL.

Exit code: 0 when every strategy kept its promise, 1 when a strategy broke its
promise, 2 when the command could not run as asked.
`;

const optionRules = z.object({
  chapter: z.string().optional(),
  strategy: strategyNames,
  file: aFile('file').optional(),
  ...programOptions,
  rounds: whole('--rounds', 1, 100_000, 20),
  recruiters: wholeNumber('--recruiters', 1, 1_000).optional(),
  capacity: wholeNumber('--capacity', 1, 1_000).optional(),
  workers: wholeNumber('--workers', 1, 50).optional(),
  tasks: wholeNumber('--tasks', 1, 1_000).optional(),
  requests: wholeNumber('--requests', 1, 50).optional(),
  keys: wholeNumber('--keys', 1, 50).optional(),
  url: z
    .url({ protocol: /^https?$/, error: '--url must look like http://127.0.0.1:3000' })
    .optional(),
  trace: aFile('trace').optional(),
  costs: z.boolean().optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** Every other failure ends with this code, so 1 always means a broken promise. */
const FAILED = 2;

type Options = z.infer<typeof optionRules>;

/** The options of each chapter's race that no other race has. */
const OWN = {
  claims: ['recruiters', 'capacity', 'url', 'trace', 'costs'],
  queue: ['workers', 'tasks'],
  retries: ['requests', 'keys'],
} as const;

runMain(async (stop) => {
  const options = readRaceOptions();
  if (options.help) {
    print(HELP);
    return 0;
  }
  const { file } = options;
  if (isProgram(options)) {
    const chapter = chooseChapter(options.chapter);
    if (!hasRequests(chapter)) throw new UsageError(`A program cannot race in ${chapter.name}.`);
    assertFits(chapter, options);
    return raceProgram(chapter, { ...options, order: orderOf(chapter, options) }, stop);
  }
  if (file === undefined) return raceChosen(chooseRacing(options), options, stop);
  return withOwnFile('race-demo', file, stop, async () => {
    const own = await chooseFile(file, options.chapter);
    const { chapter, strategies } = own;
    assertFits(chapter, options);
    for (const strategy of strategies) adopt({ chapter, strategy });
    return raceChosen(own, options, stop);
  });
}, FAILED);

/** Races the chosen strategies, and returns the exit code. */
function raceChosen(chosen: Chosen, options: Options, stop: AbortSignal): Promise<number> {
  const { chapter, strategies } = chosen;
  if (hasCrashes(chapter)) {
    const { rounds, json } = options;
    return raceCrashes(
      chapter,
      strategies,
      { ...sizeOf(chapter, options), rounds },
      { json, stop },
    );
  }
  if (!hasRequests(chapter)) throw new Error(`${chapter.name} has no race`);
  const names = options.file === undefined ? options.strategy : strategies.map(({ name }) => name);
  return raceRequests(chapter, { ...options, strategy: names }, stop);
}

/** The chapter and the strategies of the race. Throws a `UsageError` if they do not fit the options. */
function chooseRacing(options: Options): Chosen {
  const within = chooseChapterIfNamed(options.chapter);
  const named = options.strategy && chooseStrategies(options.strategy, undefined, within);
  const chapter = named?.chapter ?? within ?? chapters[0];
  assertFits(chapter, options);
  return named ?? chooseStrategies(chapter.race.shown, undefined, chapter);
}

/** Throws a `UsageError` if an option belongs to the race of another chapter. */
function assertFits({ name }: Chapter, options: Options) {
  const own: readonly string[] = OWN[name as keyof typeof OWN];
  const wrong = Object.values(OWN)
    .flat()
    .find((each) => !own.includes(each) && options[each] !== undefined);
  if (wrong !== undefined)
    throw new UsageError(
      `A race of ${name} has no --${wrong}. It has ${own.map((each) => `--${each}`).join(', ')}.`,
    );
}

/** The size of a race whose options have the chapter's words. */
function sizeOf({ session, race: { usual, capacityOption } }: CrashChapter, options: Options) {
  const asked: Readonly<Record<string, unknown>> = options;
  return {
    sessions: Number(asked[session.many] ?? usual.sessions),
    capacity: Number(asked[capacityOption] ?? usual.capacity),
  };
}

async function raceRequests(chapter: RequestChapter, options: Options, stop: AbortSignal) {
  if (options.trace !== undefined) expectWritable(options.trace);
  const trace = options.trace === undefined ? undefined : new Trace();
  const arena = options.url
    ? { url: options.url, stop: async () => {} }
    : await openArena(stop, trace);
  try {
    const results = await runRaces(arena.url, chapter, options, trace, stop);
    if (trace && options.trace) await writeTrace(trace, options.trace);
    return exitCodeOf(chapter, results);
  } finally {
    await arena.stop();
  }
}

function readRaceOptions(): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('race-demo', optionRules, {
    options: {
      chapter: text,
      strategy: { ...text, multiple: true },
      file: text,
      ...programFlags,
      recruiters: text,
      workers: text,
      rounds: text,
      capacity: text,
      tasks: text,
      requests: text,
      keys: text,
      url: text,
      trace: text,
      costs: flag,
      json: flag,
      help: flag,
    },
  });
  if (options.trace !== undefined && options.url !== undefined)
    throw new UsageError(
      '--trace records only a server of this command, so it cannot be used with --url.',
    );
  if (options.file !== undefined && (options.strategy ?? options.url) !== undefined)
    throw new UsageError('--file cannot be used with --strategy or --url.');
  const { strategy, file, url, trace, costs } = options;
  if (isProgram(options) && (strategy ?? file ?? url ?? trace ?? costs) !== undefined)
    throw new UsageError(
      '--server and --module cannot be used with --strategy, --file, --url, --trace or --costs.',
    );
  return options;
}

/** Starts a server in workshop mode. Its database is thrown away at the end. */
async function openArena(stop: AbortSignal, trace: Trace | undefined) {
  await buildDist();
  const scratch = await openScratch(readConfig().databaseUrl, stop);
  try {
    await unlessStopped(stop, prepareDatabase(scratch.url));
    const service = await startService({
      databaseUrl: scratch.url,
      host: '127.0.0.1',
      port: 0,
      lab: true,
      log: openLog('error'),
      trace,
    });
    return {
      url: service.url,
      async stop() {
        await trace?.end();
        await service.stop();
        await scratch.stop();
      },
    };
  } catch (error) {
    await scratch.stop();
    throw error;
  }
}

async function runRaces(
  url: string,
  chapter: RequestChapter,
  options: Options,
  trace: Trace | undefined,
  stop: AbortSignal,
): Promise<RaceResult[]> {
  const offered = await listStrategies(url, stop);
  const chosen = choose(
    offered.filter((each) => each.chapter === chapter.name),
    options.strategy ?? chapter.race.shown,
  );
  const order = orderOf(chapter, options);
  const costs: Costs[] = [];
  const told = { order, json: options.json, costs: options.costs ? costs : undefined };
  return tellRaces(chapter, chosen, told, async (strategy, onRound) => {
    const rounds: RoundCosts[] = [];
    trace?.startRound(`${strategy.name}, round 1`);
    const onEach = (round: TimedRound, done: number) => {
      const { answers, milliseconds, transactions } = round;
      rounds.push({ requests: answers.length, milliseconds, transactions });
      if (done < order.rounds) trace?.startRound(`${strategy.name}, round ${done + 1}`);
      onRound(round, done);
    };
    const result = await race(url, strategy, order, onEach, stop);
    costs.push(costsOf(strategy.name, rounds));
    return result;
  });
}

function orderOf({ race: { usual } }: RequestChapter, options: Options): RaceOrder {
  const { recruiters: sessions = usual.sessions, capacity = usual.capacity, rounds } = options;
  return { sessions, capacity, rounds };
}

async function writeTrace(trace: Trace, file: string) {
  const text = JSON.stringify(await trace.end());
  tryWriting(() => writeFileSync(file, text));
}

/** Finds a wrong folder before the races, and not after them. */
function expectWritable(file: string) {
  tryWriting(() => accessSync(path.dirname(file), constants.W_OK));
}

function tryWriting(write: () => void) {
  try {
    write();
  } catch (error) {
    throw new UsageError(`Cannot write the trace: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** The server at --url may have other strategies than this program. */
function choose(offered: StrategyInfo[], names: readonly string[]): StrategyInfo[] {
  return [...new Set(names.flatMap((name) => namedIn(offered, name)))];
}

function namedIn(offered: StrategyInfo[], name: string): StrategyInfo[] {
  // The name of a student's file may be `all` too.
  const exact = offered.filter((each) => [each.name, addressIn(each)].includes(name));
  const found = exact.length === 0 && WHOLE.test(name) ? offered : exact;
  if (found.length > 0) return found;
  const known = offered.map(addressIn).join(', ');
  throw new UsageError(`The server has no strategy ${quoted(name)}. It has ${known}.`);
}

const addressIn = ({ chapter, name }: StrategyInfo) => `${chapter}/${name}`;
