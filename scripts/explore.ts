import { z } from 'zod';
import type { Chapter, Situation } from '../src/lab/chapter.ts';
import { addressOf } from '../src/lab/chapters/index.ts';
import { counterexampleOf } from '../src/lab/explore/explore.ts';
import { tell } from '../src/lab/explore/tell.ts';
import { brokePromise } from '../src/lab/race/report.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { plainTable } from '../src/process/plain-table.ts';
import { print } from '../src/process/print.ts';
import { chooseSituation, chooseStrategies, situationsInHelp } from './chosen.ts';
import { exploreAll, type Result } from './explore-all.ts';
import { paint } from './paint.ts';

const HELP = `Plays every order of the sessions' SQL statements on a real PostgreSQL.

Usage: npm run explore -- [options]

  --strategy NAME    a strategy such as claims/naive or naive; may be given several
                     times (default: all strategies of the first chapter)
  --situation NAME   one of the chapter's situations (default: its first), which are
                     ${situationsInHelp}
  --sessions N       sessions at once (2 or 3, default 2); three take long
  --json             print one JSON array on stdout, and nothing else there
  --help             show this

A schedule is the order of the sessions' steps. In 1,1,2, session 1 makes two steps,
and then session 2 makes one. At t, time passes. docs/explorer.md explains steps.
The proofs are for two sessions: exhaustive for 2 sessions at statement granularity.

Exit code: 0 when every strategy kept its promise in every schedule, 1 when a strategy
broke its promise, 2 when the command could not run as asked.
`;

const rules = z.object({
  strategy: z.array(z.string()).optional(),
  situation: z.string().optional(),
  sessions: whole('--sessions', 2, 3, 2),
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
      strategy: { ...text, multiple: true },
      situation: text,
      sessions: text,
      json: flag,
      help: flag,
    },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const chosen = chooseStrategies(options.strategy, options.situation);
  const { chapter, strategies } = chosen;
  const situation = chooseSituation(chosen, options.situation);
  const { sessions } = options;
  const results = await exploreAll(chapter, strategies, situation, sessions, stop);
  const explored = { chapter, situation, sessions };
  if (options.json) print(`${JSON.stringify(results.map((each) => asJson(each, explored)))}\n`);
  else print(`${describe(results, explored)}\n`);
  const broken = results.filter(({ strategy: { promise }, faults }) =>
    brokePromise(chapter, { promise, faults }),
  );
  return broken.length > 0 ? 1 : 0;
}, FAILED);

interface Asked {
  chapter: Chapter;
  situation: Situation;
  sessions: number;
}

function asJson(result: Result, { chapter, situation, sessions }: Asked) {
  const { strategy, schedules, faults, serializationFailures, milliseconds } = result;
  const played = counterexampleOf(result, chapter.faults);
  return {
    chapter: chapter.name,
    strategy: strategy.name,
    promise: strategy.promise,
    situation: situation.name,
    sessions,
    schedules,
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
  const kinds = chapter.faults.map(({ name }) => name);
  const head = ['strategy', 'schedules', ...kinds, 'serialization', 'ms'];
  const red = (count = 0) => (count > 0 ? paint('red', String(count)) : String(count));
  const rows = results.map(
    ({ strategy, schedules, faults, serializationFailures, milliseconds }) => [
      strategy.name,
      schedules,
      ...kinds.map((kind) => red(faults[kind])),
      serializationFailures,
      milliseconds,
    ],
  );
  return [
    `${sessions} ${chapter.session.many}, ${situation.idea}: every schedule, on a real PostgreSQL.`,
    '',
    plainTable(
      head,
      rows,
      head.map((_, column) => column).filter((column) => column > 0),
    ),
    '',
    ...results.flatMap((result) => describeCounterexample(result, asked)),
    `Exhaustive for ${sessions} sessions at statement granularity.`,
  ].join('\n');
}

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
