import { z } from 'zod';
import type { Chapter } from '../src/lab/chapter.ts';
import { adopt, chapters, quoted } from '../src/lab/chapters/index.ts';
import { labMount } from '../src/lab/mount.ts';
import { chapterOption, isProgram, programOptions } from '../src/lab/programs/options.ts';
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
import { openScratch } from '../src/platform/postgres/scratch.ts';
import { aFile } from '../src/platform/process/callers-file.ts';
import { json, runCommand, under, type Values, whole } from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { openLog } from '../src/platform/process/log.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { readConfig } from '../src/service/config/config.ts';
import { prepareDatabase } from '../src/service/database/migrate.ts';
import { startService } from '../src/service/program/service.ts';
import {
  type Chosen,
  chooseChapter,
  chooseChapterIfNamed,
  chooseStrategies,
  WHOLE,
} from './chosen.ts';
import { raceCrashes } from './crash-demo.ts';
import { buildDist } from './dist.ts';
import { fileOption, strategyOption } from './options.ts';
import { chooseFile, withOwnFile } from './own-file.ts';
import { raceProgram } from './program-race.ts';
import { exitCodeOf, tellRaces } from './tell-races.ts';
import { expectWritable, writeOrExplain } from './writing.ts';

const usualIn = (name: string) => chooseChapter(name).race.usual;

/** The options that only one chapter's race has, by chapter. */
const OWN = {
  claims: under('Only for claims', {
    recruiters: {
      ...whole(1, 1_000),
      usual: usualIn('claims').sessions,
      words: 'how many claim at the same moment',
    },
    capacity: { ...whole(1, 1_000), usual: usualIn('claims').capacity, words: 'slots of the job' },
    url: {
      value: 'URL',
      type: z.url({ protocol: /^https?$/, error: 'must look like http://127.0.0.1:3000' }),
      words:
        'race on a server that already runs in workshop mode; by default the command starts a server on a database of its own',
    },
    trace: {
      ...aFile,
      words:
        'write what happened as a timeline (Chrome trace-event JSON) that Perfetto opens: statements, waits, and who held the lock',
    },
    costs: {
      type: z.boolean(),
      words: 'also show the time of a round, and the transactions of a request',
    },
  }),
  queue: under('Only for queue', {
    workers: {
      ...whole(1, 50),
      usual: usualIn('queue').sessions,
      words: 'how many workers begin at the same moment',
    },
    tasks: { ...whole(1, 1_000), usual: usualIn('queue').capacity, words: 'tasks that are due' },
  }),
  retries: under('Only for retries', {
    requests: {
      ...whole(1, 50),
      usual: usualIn('retries').sessions,
      words: 'how many requests come at once, each on its own server',
    },
    keys: {
      ...whole(1, 50),
      usual: usualIn('retries').capacity,
      words: 'how many different keys the requests have',
    },
  }),
  waitlist: under('Only for waitlist', {
    servers: {
      ...whole(1, 50),
      usual: usualIn('waitlist').sessions,
      words:
        'how many servers work at once: every other server releases a slot if one is left, and the others serve newcomers',
    },
    slots: {
      ...whole(1, 50),
      usual: usualIn('waitlist').capacity,
      words: 'slots of the job, which are all taken at the beginning',
    },
  }),
};

const options = {
  chapter: chapterOption,
  strategy: {
    ...strategyOption,
    usual: chapters
      .map(({ name, race: { shown } }) => shown.map((each) => `${name}/${each}`).join(', '))
      .join(', or\n'),
  },
  file: fileOption,
  ...programOptions,
  rounds: { ...whole(1, 100_000), default: 20, words: 'rounds of each strategy, on fresh rows' },
  json,
  ...OWN.claims,
  ...OWN.queue,
  ...OWN.retries,
  ...OWN.waitlist,
};

const command = {
  name: 'race-demo',
  purpose: 'Races strategies at full speed, and counts the results in the tables.',
  about: `claims (the default): many claims of one job are sent at the same moment.
queue: workers do tasks, and some of the workers are killed at random moments.
retries: requests come several times at once, and some of the servers are killed.
waitlist: holders release slots while newcomers claim, and some of the servers are killed.`,
  options,
  notes: `Without --url, the command uses a new database on an embedded PostgreSQL or, if
DATABASE_URL is set, on the server there. It removes the database at the end.
A process that is killed loses its connection at once, and nothing of its program runs
again. PostgreSQL cannot tell this from SIGKILL.

Exit code: 0 when every strategy kept its promise, 1 when a strategy broke its
promise, 2 when the command could not run as asked.`,
  // The exit code 1 always means a broken promise.
  failureCode: 2,
};

type Options = Values<typeof options>;

runCommand(command, async (options, stop) => {
  assertOneKind(options);
  const { file } = options;
  if (isProgram(programIn(options))) {
    const chapter = chooseChapter(options.chapter);
    if (!hasRequests(chapter)) throw new UsageError(`A program cannot race in ${chapter.name}.`);
    assertFits(chapter, options);
    const asked = { ...programIn(options), order: orderOf(chapter, options) };
    return raceProgram(chapter, asked, stop);
  }
  if (file === undefined) return raceChosen(chooseRacing(options), options, stop);
  return withOwnFile('race-demo', file, stop, async () => {
    const own = await chooseFile(file, options.chapter);
    const { chapter, strategies } = own;
    assertFits(chapter, options);
    for (const strategy of strategies) adopt({ chapter, strategy });
    return raceChosen(own, options, stop);
  });
});

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

/**
 * Returns the chapter and the strategies of the race. Throws a `UsageError` if an option belongs to
 * the race of another chapter.
 */
function chooseRacing(options: Options): Chosen {
  const within = chooseChapterIfNamed(options.chapter);
  const named = options.strategy && chooseStrategies(options.strategy, undefined, within);
  const chapter = named?.chapter ?? within ?? chapters[0];
  assertFits(chapter, options);
  return named ?? chooseStrategies(chapter.race.shown, undefined, chapter);
}

/** Throws a `UsageError` if an option belongs to the race of another chapter. */
function assertFits({ name }: Chapter, options: Options) {
  const own = namesIn(OWN[name as keyof typeof OWN]);
  const wrong = Object.values(OWN)
    .flatMap(namesIn)
    .find((each) => !own.includes(each) && options[each] !== undefined);
  if (wrong !== undefined)
    throw new UsageError(
      `A race of ${name} has no --${wrong}. It has ${own.map((each) => `--${each}`).join(', ')}.`,
    );
}

function namesIn(own: object) {
  return Object.keys(own) as (keyof Options)[];
}

/** Returns the size of a race. The chapter tells the names of the options for the size. */
function sizeOf({ session, race: { usual, capacityOption } }: CrashChapter, options: Options) {
  const asked: Readonly<Record<string, unknown>> = options;
  return {
    sessions: Number(asked[session.many] ?? usual.sessions),
    capacity: Number(asked[capacityOption] ?? usual.capacity),
  };
}

async function raceRequests(chapter: RequestChapter, options: Options, stop: AbortSignal) {
  if (options.trace !== undefined) expectWritable('the trace', options.trace);
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

/** Leaves out the capacity of the race, because it is no limit in the code of a program. */
function programIn({ capacity: _, ...options }: Options) {
  return options;
}

/** Throws a `UsageError` if two options contradict each other. */
function assertOneKind(options: Options) {
  if (options.trace !== undefined && options.url !== undefined)
    throw new UsageError(
      '--trace records only a server of this command, so it cannot be used with --url.',
    );
  if (options.file !== undefined && (options.strategy ?? options.url) !== undefined)
    throw new UsageError('--file cannot be used with --strategy or --url.');
  const { strategy, file, url, trace, costs } = options;
  if (isProgram(programIn(options)) && (strategy ?? file ?? url ?? trace ?? costs) !== undefined)
    throw new UsageError(
      '--server and --module cannot be used with --strategy, --file, --url, --trace or --costs.',
    );
}

/** Starts a server in workshop mode on a new database. `stop` drops the database. */
async function openArena(stop: AbortSignal, trace: Trace | undefined) {
  await buildDist();
  const scratch = await openScratch(readConfig().databaseUrl, stop);
  try {
    await unlessStopped(stop, prepareDatabase(scratch.url));
    const service = await startService({
      databaseUrl: scratch.url,
      host: '127.0.0.1',
      port: 0,
      mounts: [labMount({ trace })],
      log: openLog('error'),
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
  writeOrExplain('the trace', file, text);
}

/** Finds strategies of the server. A server at --url may have different strategies than we have. */
function choose(offered: StrategyInfo[], names: readonly string[]): StrategyInfo[] {
  return [...new Set(names.flatMap((name) => namedIn(offered, name)))];
}

function namedIn(offered: StrategyInfo[], name: string): StrategyInfo[] {
  // A strategy from a student's file may have the name `all`, so exact names come first.
  const exact = offered.filter((each) => [each.name, addressIn(each)].includes(name));
  const found = exact.length === 0 && WHOLE.test(name) ? offered : exact;
  if (found.length > 0) return found;
  const known = offered.map(addressIn).join(', ');
  throw new UsageError(`The server has no strategy ${quoted(name)}. It has ${known}.`);
}

const addressIn = ({ chapter, name }: StrategyInfo) => `${chapter}/${name}`;
