import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { prepareDatabase } from '../src/db/migrate.ts';
import type { Chapter } from '../src/lab/chapter.ts';
import { quoted } from '../src/lab/chapters/index.ts';
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
  showedNothing,
} from '../src/lab/race/report.ts';
import { Trace } from '../src/lab/race/trace.ts';
import { openScratch } from '../src/postgres/scratch.ts';
import { UsageError } from '../src/process/errors.ts';
import { openLog } from '../src/process/log.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { startService } from '../src/service/service.ts';
import { chooseChapter, WHOLE } from './chosen.ts';
import { buildDist } from './dist.ts';
import { paint } from './paint.ts';
import { clearProgress, showProgress } from './progress.ts';

const HELP = `Sends many claims of one job at the same moment, and counts who got a slot.

Usage: npm run race-demo -- [options]

  --strategy NAME    a strategy such as claims/naive or naive, all or claims/all; may be
                     given several times (default: naive, transaction, row-lock)
  --recruiters N     how many claim at the same moment (1 to 1000, default 5)
  --rounds N         rounds a strategy, each on a fresh job (1 to 100000,
                     default 20)
  --capacity N       slots of the job (1 to 1000, default 4)
  --url URL          race on a server that already runs in workshop mode; by default
                     the command starts a server on a database of its own
  --trace FILE       write what happened as a timeline (Chrome trace-event JSON) that
                     Perfetto opens: statements, waits, and who held the lock
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

Without --url, the command uses a new database on an embedded PostgreSQL or, if
DATABASE_URL is set, on the server there. It removes the database at the end.

Exit code: 0 when every strategy kept its promise, 1 when a strategy broke its
promise, 2 when the command could not run as asked.
`;

const optionRules = z.object({
  strategy: z.array(z.string()).default(['claims/naive', 'claims/transaction', 'claims/row-lock']),
  recruiters: whole('--recruiters', 1, 1_000, 5),
  rounds: whole('--rounds', 1, 100_000, 20),
  capacity: whole('--capacity', 1, 1_000, 4),
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

runMain(async (stop) => {
  const options = readRaceOptions();
  if (options.help) {
    print(HELP);
    return 0;
  }
  const trace = options.trace === undefined ? undefined : new Trace();
  const arena = options.url
    ? { url: options.url, stop: async () => {} }
    : await openArena(stop, trace);
  try {
    const results = await runRaces(arena.url, options, trace, stop);
    if (trace && options.trace) await writeTrace(trace, options.trace);
    const broken = results.filter((each) => brokePromise(chapterOf([each]), each));
    if (broken.length > 0) return 1;
    return results.some(showedNothing) ? FAILED : 0;
  } finally {
    await arena.stop();
  }
}, FAILED);

function readRaceOptions(): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('race-demo', optionRules, {
    options: {
      strategy: { ...text, multiple: true },
      recruiters: text,
      rounds: text,
      capacity: text,
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
  options: Options,
  trace: Trace | undefined,
  stop: AbortSignal,
): Promise<RaceResult[]> {
  const chosen = choose(await listStrategies(url, stop), options.strategy);
  const chapter = chapterOf(chosen);
  const { recruiters: sessions, capacity, rounds } = options;
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

function choose(offered: StrategyInfo[], names: string[]): StrategyInfo[] {
  return [...new Set(names.flatMap((name) => namedIn(offered, name)))];
}

function namedIn(offered: StrategyInfo[], name: string): StrategyInfo[] {
  const whole = WHOLE.exec(name);
  const found = whole
    ? offered.filter(({ chapter }) => chapter === (whole[1] ?? offered[0]?.chapter))
    : offered.filter((each) => [each.name, addressIn(each)].includes(name));
  if (found.length === 1 || (whole && found.length > 0)) return found;
  const known = offered.map(addressIn).join(', ');
  const problem = found.length > 1 ? 'more than one strategy' : 'no strategy';
  throw new UsageError(`There is ${problem} ${quoted(name)}. The strategies are ${known}.`);
}

const addressIn = ({ chapter, name }: StrategyInfo) => `${chapter}/${name}`;

/** The chapter of all these strategies. Throws a `UsageError` if there are several. */
function chapterOf(strategies: { chapter: string }[]): Chapter {
  const [name, another] = [...new Set(strategies.map(({ chapter }) => chapter))];
  if (another !== undefined)
    throw new UsageError(`These are strategies of ${name} and ${another}. Choose one chapter.`);
  return chooseChapter(name);
}

const asJson = ({ capacity, sessions, rounds }: RaceOrder, strategies: RaceResult[]) => ({
  capacity,
  recruiters: sessions,
  rounds,
  strategies,
});
