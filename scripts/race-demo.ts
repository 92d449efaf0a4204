import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { prepareDatabase } from '../src/db/migrate.ts';
import { chapters, quoted } from '../src/lab/chapters/index.ts';
import { type CrashChapter, hasCrashes } from '../src/lab/race/crashes/crashes.ts';
import {
  listStrategies,
  type RaceOrder,
  type RaceResult,
  type Round,
  race,
  type StrategyInfo,
} from '../src/lab/race/race.ts';
import {
  brokePromise,
  describeRace,
  describeResults,
  describeRound,
  describeVerdict,
  hasRequests,
  type RequestChapter,
  showedNothing,
} from '../src/lab/race/report.ts';
import { Trace } from '../src/lab/race/trace.ts';
import { openScratch } from '../src/postgres/scratch.ts';
import { UsageError } from '../src/process/errors.ts';
import { openLog } from '../src/process/log.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';
import { readOptions, whole, wholeNumber } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { startService } from '../src/service/service.ts';
import { type Chosen, chooseChapterIfNamed, chooseStrategies, WHOLE } from './chosen.ts';
import { raceCrashes } from './crash-demo.ts';
import { buildDist } from './dist.ts';
import { paint } from './paint.ts';
import { clearProgress, showProgress } from './progress.ts';

const shownInHelp = chapters
  .map(({ name, race: { shown } }) => shown.map((each) => `${name}/${each}`).join(', '))
  .join(', or\n                     ');

const HELP = `Races strategies at full speed, and counts the results in the tables.

Usage: npm run race-demo -- [options]

claims (the default): many claims of one job are sent at the same moment.
queue: workers do tasks, and some of the workers are killed at random moments.
retries: requests come several times at once, and some of the servers are killed.

  --chapter NAME     claims, queue or retries (default: the chapter of the strategies, or
                     claims)
  --strategy NAME    a strategy such as claims/naive or naive, all or claims/all; may be
                     given several times
                     (default: ${shownInHelp})
  --rounds N         rounds a strategy, each on fresh rows (1 to 100000, default 20)
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

Only for claims:
  --recruiters N     how many claim at the same moment (1 to 1000, default 5)
  --capacity N       slots of the job (1 to 1000, default 4)
  --url URL          race on a server that already runs in workshop mode; by default
                     the command starts a server on a database of its own
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
  strategy: z.array(z.string()).optional(),
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
  trace: z.string().min(1, '--trace needs the name of a file').optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** Every other failure ends with this code, so 1 always means a broken promise. */
const FAILED = 2;

type Options = z.infer<typeof optionRules>;

/** The options of each chapter's race that no other race has. */
const OWN = {
  claims: ['recruiters', 'capacity', 'url', 'trace'],
  queue: ['workers', 'tasks'],
  retries: ['requests', 'keys'],
} as const;

runMain(async (stop) => {
  const options = readRaceOptions();
  if (options.help) {
    print(HELP);
    return 0;
  }
  const { chapter, strategies } = chooseRacing(options);
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
  return raceRequests(chapter, options, stop);
}, FAILED);

/** The chapter and the strategies of the race. Throws a `UsageError` if they do not fit the options. */
function chooseRacing(options: Options): Chosen {
  const within = chooseChapterIfNamed(options.chapter);
  const named = options.strategy && chooseStrategies(options.strategy, undefined, within);
  const chapter = named?.chapter ?? within ?? chapters[0];
  const own: readonly string[] = OWN[chapter.name as keyof typeof OWN];
  const wrong = Object.values(OWN)
    .flat()
    .find((name) => !own.includes(name) && options[name] !== undefined);
  if (wrong !== undefined)
    throw new UsageError(
      `A race of ${chapter.name} has no --${wrong}. It has ${own.map((name) => `--${name}`).join(', ')}.`,
    );
  return named ?? chooseStrategies(chapter.race.shown, undefined, chapter);
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
  const trace = options.trace === undefined ? undefined : new Trace();
  const arena = options.url
    ? { url: options.url, stop: async () => {} }
    : await openArena(stop, trace);
  try {
    const results = await runRaces(arena.url, chapter, options, trace, stop);
    if (trace && options.trace) await writeTrace(trace, options.trace);
    if (results.some((each) => brokePromise(chapter, each))) return 1;
    return results.some(showedNothing) ? FAILED : 0;
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
      recruiters: text,
      workers: text,
      rounds: text,
      capacity: text,
      tasks: text,
      requests: text,
      keys: text,
      url: text,
      trace: text,
      json: flag,
      help: flag,
    },
  });
  if (options.trace !== undefined && options.url !== undefined)
    throw new UsageError(
      '--trace records only a server of this command, so it cannot be used with --url.',
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
  const { shown, usual } = chapter.race;
  const offered = await listStrategies(url, stop);
  const chosen = choose(
    offered.filter((each) => each.chapter === chapter.name),
    options.strategy ?? shown,
  );
  const { recruiters: sessions = usual.sessions, capacity = usual.capacity, rounds } = options;
  const order = { sessions, capacity, rounds };
  const say = (text: string) => {
    if (!options.json) print(`${text}\n`);
  };
  const results: RaceResult[] = [];
  say(describeRace(chapter, order));
  for (const strategy of chosen) {
    let worst: Round | undefined;
    trace?.startRound(`${strategy.name}, round 1`);
    const onRound = (round: Round, done: number) => {
      if (done < options.rounds) trace?.startRound(`${strategy.name}, round ${done + 1}`);
      const { taken } = round.standing;
      if (worst === undefined || taken > worst.standing.taken) worst = round;
      showProgress(`${strategy.name}: round ${done} of ${options.rounds}`);
    };
    results.push(await race(url, strategy, order, onRound, stop));
    clearProgress();
    if (worst && (strategy === chosen[0] || strategy === chosen.at(-1)))
      say(describeRound(chapter, strategy.name, worst, paint));
  }
  if (options.json) print(`${JSON.stringify(asJson(order, results))}\n`);
  say(describeResults(chapter, results, chosen, order, paint));
  say(describeVerdict(chapter, results, order, paint));
  return results;
}

async function writeTrace(trace: Trace, file: string) {
  try {
    writeFileSync(file, JSON.stringify(await trace.end()));
  } catch (error) {
    throw new UsageError(`Cannot write the trace: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** The server at --url may have other strategies than this program. */
function choose(offered: StrategyInfo[], names: readonly string[]): StrategyInfo[] {
  return [...new Set(names.flatMap((name) => namedIn(offered, name)))];
}

function namedIn(offered: StrategyInfo[], name: string): StrategyInfo[] {
  const found = WHOLE.test(name)
    ? offered
    : offered.filter((each) => [each.name, addressIn(each)].includes(name));
  if (found.length > 0) return found;
  const known = offered.map(addressIn).join(', ');
  throw new UsageError(`The server has no strategy ${quoted(name)}. It has ${known}.`);
}

const addressIn = ({ chapter, name }: StrategyInfo) => `${chapter}/${name}`;

const asJson = ({ capacity, sessions, rounds }: RaceOrder, strategies: RaceResult[]) => ({
  capacity,
  recruiters: sessions,
  rounds,
  strategies,
});
