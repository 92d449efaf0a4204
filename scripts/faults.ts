import { z } from 'zod';
import { readConfig } from '../src/config.ts';
import { type FaultyPostgres, openCluster, openFaulty, openPair } from '../src/faults/database.ts';
import { whyNoCluster } from '../src/faults/patroni/cluster.ts';
import { play, type ScenarioResult } from '../src/faults/play.ts';
import type { Scenario } from '../src/faults/scenario.ts';
import { scenarioNames, scenariosOf } from '../src/faults/scenarios/index.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { tellsMemory } from '../src/process/process-memory.ts';
import { buildDist } from './dist.ts';
import { describeFaults, describeSkipped } from './faults-report.ts';
import { clearProgress, showProgress } from './progress.ts';

const HELP = `Makes faults under a running service and its load, and audits the result.

Usage: npm run faults -- [options]

  --scenario NAME    backends, server, postgres, servers, failover, soak, workers or
                     patroni; may be given several times (default: all but patroni,
                     which needs the programs of deploy/failover)
  --kills N          backends ended inside a transaction (1 to 100000, default 500)
  --restarts N       how often the server or PostgreSQL is stopped and started again,
                     or replaced by a standby (1 to 1000, default 5)
  --servers N        how many servers use one database in the scenario servers
                     (2 to 8; default: two, then four)
  --requests N       requests of all kinds to one server in the scenario soak. With
                     100000 requests or more, soak also judges the memory of
                     the server (1000 to 10000000, default 200000)
  --tasks N          tasks in the scenario workers. The faults grow with the tasks:
                     20000 tasks have 200 kills of workers (100 to 1000000,
                     default 20000)
  --seconds N        the longest time for the faults of one scenario (1 to 3600,
                     default 900)
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

The command starts a PostgreSQL of its own, and the servers as separate processes. With
DATABASE_URL it makes databases on that server instead, and never stops the server. The
scenarios postgres, failover and workers are then skipped.

Exit code: 0 if every promise was kept, 1 if a promise was broken, 2 if the command could
not run as asked.
`;

const optionRules = z.object({
  scenario: z
    .array(z.enum(scenarioNames, `--scenario must be one of ${scenarioNames.join(', ')}`))
    .default(scenarioNames.filter((name) => name !== 'patroni')),
  kills: whole('--kills', 1, 100_000, 500),
  restarts: whole('--restarts', 1, 1_000, 5),
  servers: whole('--servers', 2, 8, 0),
  requests: whole('--requests', 1_000, 10_000_000, 200_000),
  tasks: whole('--tasks', 100, 1_000_000, 20_000),
  seconds: whole('--seconds', 1, 3_600, 900),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/**
 * The exit code if the command could not run as asked. The exit code 1 always means a broken
 * promise.
 */
const FAILED = 2;

runMain(async (stop) => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('faults', optionRules, {
    options: {
      scenario: { ...text, multiple: true },
      kills: text,
      restarts: text,
      servers: text,
      requests: text,
      tasks: text,
      seconds: text,
      json: flag,
      help: flag,
    },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const results = await playAll(options, stop);
  if (options.json) print(`${JSON.stringify({ scenarios: results })}\n`);
  else print(describeFaults(results));
  if (results.some(({ findings }) => findings.length > 0)) return 1;
  return results.length === 0 ? FAILED : 0;
}, FAILED);

/** The servers that only this scenario needs. */
async function openOwn(
  { needsPair, needsCluster }: Scenario,
  stop: AbortSignal,
): Promise<FaultyPostgres | undefined> {
  if (needsCluster) return openCluster(stop, needsCluster);
  return needsPair ? openPair(stop, needsPair) : undefined;
}

function whySkipped(scenario: Scenario, postgres: FaultyPostgres): string | undefined {
  if (scenario.stopsPostgres && !postgres.restart)
    return 'the PostgreSQL at DATABASE_URL is never stopped';
  const noCluster = scenario.needsCluster && whyNoCluster();
  if (noCluster) return noCluster;
  if (scenario.readsMemory && !tellsMemory()) return 'only Linux shows the memory of a server';
  return undefined;
}

async function playAll(
  { scenario, servers, ...rest }: z.infer<typeof optionRules>,
  stop: AbortSignal,
): Promise<ScenarioResult[]> {
  await buildDist();
  const shared = await openFaulty(readConfig().databaseUrl, stop);
  const settings = { ...rest, servers: servers ? [servers] : [2, 4] };
  const results: ScenarioResult[] = [];
  try {
    for (const each of [...new Set(scenario)].flatMap((name) =>
      scenariosOf(name, settings.servers),
    )) {
      const why = whySkipped(each, shared);
      if (why !== undefined) {
        print(describeSkipped(each.name, why), process.stderr);
        continue;
      }
      const own = await openOwn(each, stop);
      const how = { postgres: own ?? shared, settings, stop, progress: showProgress };
      results.push(await play(each, how).finally(own?.stop));
      clearProgress();
    }
    return results;
  } finally {
    clearProgress();
    await shared.stop();
  }
}
