import os from 'node:os';
import { withArena } from './arena.ts';
import type { Measure } from './measure.ts';
import { SERVER_SETTINGS } from './processes.ts';
import type { FiguresByName } from './rounds.ts';
import { article } from './scenarios/article.ts';
import { endpoints } from './scenarios/endpoints.ts';
import { followers } from './scenarios/followers.ts';
import { held } from './scenarios/held.ts';
import { impossible } from './scenarios/impossible.ts';
import { line } from './scenarios/line.ts';
import { memory } from './scenarios/memory.ts';
import { queue } from './scenarios/queue.ts';
import { alone, beside, hot, spread } from './scenarios/scenarios.ts';
import { servers } from './scenarios/servers.ts';
import { size } from './scenarios/size.ts';
import { withConnection } from './seed.ts';
import { type BenchSettings, CONNECTIONS, makeStand, type Scenario } from './stand.ts';

export const scenarios = {
  spread,
  hot,
  beside,
  impossible,
  alone,
  size,
  memory,
  followers,
  servers,
  endpoints,
  line,
  queue,
  held,
  article,
} satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];
/**
 * `held` takes a minute for each queue, and `article` needs Go. These two scenarios run only when
 * they are named.
 */
export const usualScenarios = scenarioNames.filter((name) => name !== 'held' && name !== 'article');

const USUAL_SECONDS = 4;
/** `held` needs more time, because only many dead rows slow a queue. */
const HELD_SECONDS = 60;

export interface BenchResult {
  machine: Record<string, string | number>;
  /** PostgreSQL's settings, as `current_setting` shows them. */
  database: Record<string, string>;
  settings: {
    rounds: number;
    seconds: number;
    connections: number;
    server: Record<string, string>;
  };
  /** Medians over the rounds. */
  measures: (Measure & { scenario: ScenarioName })[];
  notes: string[];
  /** The figures of each round, by scenario and by measurement. */
  rounds: Partial<Record<ScenarioName, FiguresByName<string>>>;
}

/** Runs these scenarios in a new arena. Without `seconds`, each scenario lasts as long as usual. */
export const bench = (
  names: ScenarioName[],
  settings: Omit<BenchSettings, 'seconds'> & { seconds: number | undefined },
  databaseUrl: string | undefined,
  stop: AbortSignal,
): Promise<BenchResult> =>
  withArena(databaseUrl, stop, async (arena) => {
    const { rounds, seconds = USUAL_SECONDS, onProgress } = settings;
    const stand = await makeStand(arena, { rounds, seconds, onProgress });
    const result: BenchResult = {
      machine: machine(),
      database: await databaseSettings(stand.without),
      settings: { rounds, seconds, connections: CONNECTIONS, server: SERVER_SETTINGS },
      measures: [],
      notes: [],
      rounds: {},
    };
    for (const name of names) {
      const lasts = name === 'held' ? (settings.seconds ?? HELD_SECONDS) : seconds;
      const found = await scenarios[name]({ ...stand, seconds: lasts });
      result.measures.push(...found.measures.map((measure) => ({ scenario: name, ...measure })));
      result.notes.push(...(found.notes ?? []));
      result.rounds[name] = found.rounds;
    }
    return result;
  });

function machine() {
  const [cpu] = os.cpus();
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
  };
}

/**
 * PostgreSQL's settings in the report. The cost of a durable commit depends on these settings. Both
 * servers use the same PostgreSQL. The report also tells whether PostgreSQL compiles expensive
 * plans (`jit`). The embedded PostgreSQL never compiles plans.
 */
const TOLD = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
];

const databaseSettings = (url: string): Promise<Record<string, string>> =>
  withConnection(url, async (sql) => {
    const rows = await sql<{ name: string; value: string }[]>`
      SELECT name, current_setting(name) AS value FROM pg_settings WHERE name IN ${sql(TOLD)}
      UNION ALL SELECT 'jit', CASE WHEN pg_jit_available() THEN 'on' ELSE 'off' END`;
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  });
