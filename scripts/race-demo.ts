import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { prepareDatabase } from '../src/db/migrate.ts';
import { openScratch } from '../src/db/scratch.ts';
import {
  listStrategies,
  type RaceResult,
  type RaceSettings,
  type Round,
  race,
  type StrategyInfo,
} from '../src/lab/race.ts';
import { runMain, UsageError, unlessStopped } from '../src/main.ts';
import { logToStderr, startService } from '../src/service.ts';
import { clearProgress, showProgress } from './progress.ts';
import {
  brokePromise,
  describeRace,
  describeResults,
  describeRound,
  describeVerdict,
  showedNothing,
} from './race-report.ts';

const HELP = `Fires a crowd of recruiters at one job and counts who got a slot.

Usage: npm run race-demo -- [options]

  --strategy NAME    a strategy to race; may be given several times
                     (default: naive, transaction, row-lock)
  --recruiters N     how many claim at the same moment (1 to 1000, default 5)
  --rounds N         rounds a strategy, each on a fresh job (1 to 100000,
                     default 20)
  --capacity N       slots of the job (1 to 1000, default 4)
  --url URL          race a server that runs in workshop mode already, instead of
                     starting one on a database of its own
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

Without --url, it starts an embedded PostgreSQL for itself, or makes a database of
its own on the server at DATABASE_URL, and removes it at the end.

Exit code: 0 when every strategy kept its promise, 1 when one that promises the
capacity broke it, 2 when it could not be run as asked.
`;

const whole = (name: string, largest: number, usual: number) => {
  const error = `${name} must be a whole number from 1 to ${largest}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(1, error).max(largest, error))
    .default(usual);
};

const optionRules = z.object({
  strategy: z.array(z.string()).default(['naive', 'transaction', 'row-lock']),
  recruiters: whole('--recruiters', 1_000, 5),
  rounds: whole('--rounds', 100_000, 20),
  capacity: whole('--capacity', 1_000, 4),
  url: z
    .url({ protocol: /^https?$/, error: '--url must look like http://127.0.0.1:3000' })
    .optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** For whatever is no verdict, so that 1 always means a broken promise. */
const FAILED = 2;

type Options = z.infer<typeof optionRules>;

runMain(async (stop) => {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const arena = options.url ? { url: options.url, stop: async () => {} } : await openArena(stop);
  try {
    const results = await runRaces(arena.url, options, stop);
    if (results.some(brokePromise)) return 1;
    return results.some(showedNothing) ? FAILED : 0;
  } finally {
    await arena.stop();
  }
}, FAILED);

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    strategy: { ...text, multiple: true },
    recruiters: text,
    rounds: text,
    capacity: text,
    url: text,
    json: flag,
    help: flag,
  } as const;
  try {
    return optionRules.parse(parseArgs({ options }).values);
  } catch (error) {
    const words =
      error instanceof z.ZodError
        ? error.issues.map((issue) => issue.message)
        : [String((error as Error).message).split(/[.\n]/)[0]];
    throw new UsageError(`${words.join('; ')}. See: npm run race-demo -- --help`);
  }
}

/** A server in workshop mode on a database that is thrown away. */
async function openArena(stop: AbortSignal) {
  const scratch = await openScratch(readConfig().databaseUrl, stop);
  try {
    await unlessStopped(stop, prepareDatabase(scratch.url));
    const service = await startService({
      databaseUrl: scratch.url,
      host: '127.0.0.1',
      port: 0,
      lab: true,
      log: logToStderr,
    });
    return {
      url: service.url,
      async stop() {
        await service.stop();
        await scratch.stop();
      },
    };
  } catch (error) {
    await scratch.stop();
    throw error;
  }
}

async function runRaces(url: string, options: Options, stop: AbortSignal): Promise<RaceResult[]> {
  const chosen = choose(await listStrategies(url, stop), options.strategy);
  const say = (text: string) => options.json || process.stdout.write(`${text}\n`);
  const results: RaceResult[] = [];
  say(describeRace(options));
  for (const strategy of chosen) {
    let worst: Round | undefined;
    const onRound = (round: Round, done: number) => {
      if (worst === undefined || round.claims > worst.claims) worst = round;
      showProgress(`${strategy.name}: round ${done} of ${options.rounds}`);
    };
    results.push(await race(url, strategy, options, onRound, stop));
    clearProgress();
    if (worst && (strategy === chosen[0] || strategy === chosen.at(-1)))
      say(describeRound(strategy.name, worst, options));
  }
  if (options.json) process.stdout.write(`${JSON.stringify(asJson(options, results))}\n`);
  say(describeResults(results, chosen, options));
  say(describeVerdict(results, options));
  return results;
}

function choose(offered: StrategyInfo[], names: string[]): StrategyInfo[] {
  return [...new Set(names)].map((name) => {
    const strategy = offered.find((each) => each.name === name);
    if (strategy) return strategy;
    const known = offered.map((each) => each.name).join(', ');
    throw new UsageError(`There is no strategy "${name}". The strategies are ${known}.`);
  });
}

const asJson = ({ capacity, recruiters, rounds }: RaceSettings, strategies: RaceResult[]) => ({
  capacity,
  recruiters,
  rounds,
  strategies,
});
