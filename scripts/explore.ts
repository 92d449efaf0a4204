import { z } from 'zod';
import { claimSettings, settingNamed } from '../src/lab/chapters/claims/situations.ts';
import { chooseStrategies } from '../src/lab/chapters/claims/strategies/index.ts';
import { counterexampleOf } from '../src/lab/explore/explore.ts';
import { tell } from '../src/lab/explore/told.ts';
import { runMain } from '../src/process/main.ts';
import { plainTable } from '../src/process/plain-table.ts';
import { print } from '../src/process/print.ts';
import { exploreAll, type Result } from './explore-all.ts';
import { readOptions, whole } from './options.ts';
import { paint } from './paint.ts';

const HELP = `Plays every order of the recruiters' SQL statements on a real PostgreSQL.

Usage: npm run explore -- [options]

  --strategy NAME    a strategy to explore; may be given several times (default: all)
  --scenario NAME    the situation: ${claimSettings.map(({ name }) => name).join(', ')}
                     (default: ${claimSettings[0].name})
  --sessions N       recruiters at once (2 or 3, default 2); three take long
  --json             print one JSON array on stdout, and nothing else there
  --help             show this

A schedule is the order in which the sessions make their steps: 1,1,2 means that
session 1 made two and then session 2 one; t is where time passes. What counts as
a step: docs/explorer.md. Two sessions are the proof: exhaustive for 2 sessions at
statement granularity.

Exit code: 0 when every strategy that promises the capacity kept it in every
schedule, 1 when one broke it, 2 when it could not be run as asked.
`;

const rules = z.object({
  strategy: z.array(z.string()).optional(),
  scenario: z
    .enum(
      claimSettings.map(({ name }) => name),
      `--scenario must be one of ${claimSettings.map(({ name }) => name).join(', ')}`,
    )
    .default(claimSettings[0].name),
  sessions: whole('--sessions', 2, 3, 2),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

type Options = z.infer<typeof rules>;

function brokePromise({ strategy, faults }: Result): boolean {
  return strategy.promise === 'capacity' && (faults.oversold ?? 0) > 0;
}

/** For whatever is no count, so that 1 always means a broken promise. */
const FAILED = 2;

runMain(async (stop) => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('explore', rules, {
    options: {
      strategy: { ...text, multiple: true },
      scenario: text,
      sessions: text,
      json: flag,
      help: flag,
    },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const strategies = chooseStrategies(options.strategy);
  const setting = settingNamed(options.scenario);
  const results = await exploreAll(strategies, setting, options.sessions, stop);
  if (options.json) print(`${JSON.stringify(results.map((r) => asJson(r, options)))}\n`);
  else print(`${describe(results, options)}\n`);
  return results.some(brokePromise) ? 1 : 0;
}, FAILED);

function asJson(result: Result, { sessions }: Options) {
  const { strategy, schedules, faults, serializationFailures, milliseconds } = result;
  const played = counterexampleOf(result);
  return {
    strategy: strategy.name,
    promise: strategy.promise,
    sessions,
    schedules,
    oversold: faults.oversold ?? 0,
    unsold: faults.unsold ?? 0,
    deadlocks: faults.deadlock ?? 0,
    serializationFailures,
    errors: (faults.error ?? 0) + (faults.hang ?? 0) + (faults.untrue ?? 0),
    counterexample: played
      ? { schedule: played.schedule.join(','), transcript: tell(played).transcript }
      : null,
    milliseconds,
  };
}

function describe(results: Result[], options: Options): string {
  const head = [
    'strategy',
    'schedules',
    'oversold',
    'unsold',
    'deadlocks',
    'serialization',
    'errors',
    'ms',
  ];
  const red = (count: number) => (count > 0 ? paint('red', String(count)) : String(count));
  const rows = results.map((result) => {
    const json = asJson(result, options);
    return [
      json.strategy,
      json.schedules,
      red(json.oversold),
      red(json.unsold),
      red(json.deadlocks),
      json.serializationFailures,
      red(json.errors),
      json.milliseconds,
    ];
  });
  const { idea } = settingNamed(options.scenario);
  return [
    `${options.sessions} recruiters, ${idea}: every schedule, on a real PostgreSQL.`,
    '',
    plainTable(head, rows, [1, 2, 3, 4, 5, 6, 7]),
    '',
    ...results.flatMap((result) => describeCounterexample(result, options)),
    `Exhaustive for ${options.sessions} sessions at statement granularity.`,
  ].join('\n');
}

function describeCounterexample(result: Result, { scenario }: Options): string[] {
  const played = counterexampleOf(result);
  if (!played) return [];
  const elsewhere = scenario === claimSettings[0].name ? '' : ` --scenario ${scenario}`;
  const command = `replay: npm run replay -- ${result.strategy.name} ${played.schedule.join(',')}${elsewhere}`;
  return [paint('bold', result.strategy.name), tell(played).transcript, command, ''];
}
