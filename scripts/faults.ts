import {
  type FaultyPostgres,
  openCluster,
  openFaulty,
  openPair,
} from '../proof/faults/database.ts';
import { whyNoCluster } from '../proof/faults/patroni/cluster.ts';
import { play, type ScenarioResult } from '../proof/faults/play.ts';
import type { Scenario } from '../proof/faults/scenario.ts';
import { scenarioNames, scenariosOf } from '../proof/faults/scenarios/index.ts';
import { json, runCommand, type Values, whole } from '../src/platform/process/command.ts';
import { print } from '../src/platform/process/print.ts';
import { tellsMemory } from '../src/platform/process/process-memory.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { readConfig } from '../src/service/config/config.ts';
import { buildDist } from './dist.ts';
import { describeFaults, describeSkipped } from './faults-report.ts';
import { scenarioOption } from './options.ts';

const options = {
  scenario: {
    ...scenarioOption(scenarioNames),
    default: scenarioNames.filter((name) => name !== 'patroni'),
    usual: 'all but patroni, which needs the programs of deploy/failover',
  },
  kills: { ...whole(1, 100_000), default: 500, words: 'backends ended inside a transaction' },
  restarts: {
    ...whole(1, 1_000),
    default: 5,
    words:
      'how often the server or PostgreSQL is stopped and started again, or replaced by a standby',
  },
  servers: {
    ...whole(2, 8),
    usual: 'two, then four',
    words: 'how many servers use one database in the scenario servers',
  },
  requests: {
    ...whole(1_000, 10_000_000),
    default: 200_000,
    words:
      'requests in the scenarios soak and line. With 100000 requests or more, soak also judges the memory of the server',
  },
  tasks: {
    ...whole(100, 1_000_000),
    default: 20_000,
    words:
      'tasks in the scenario workers. The faults grow with the tasks: 20000 tasks have 200 kills of workers',
  },
  seconds: {
    ...whole(1, 3_600),
    default: 900,
    words: 'the longest time for the faults of one scenario',
  },
  json,
};

const command = {
  name: 'faults',
  purpose: 'Makes faults under a running service and its load, and audits the result.',
  options,
  notes: `The command starts a PostgreSQL of its own, and the servers as separate processes. With
DATABASE_URL it makes databases on that server instead, and never stops the server. The
scenarios postgres, failover and workers are then skipped.

Exit code: 0 if every promise was kept, 1 if a promise was broken, 2 if the command could
not run as asked.`,
  // The exit code 1 always means a broken promise.
  failureCode: 2,
};

runCommand(command, async (given, stop) => {
  const results = await playAll(given, stop);
  if (given.json) print(`${JSON.stringify({ scenarios: results })}\n`);
  else print(describeFaults(results));
  if (results.some(({ findings }) => findings.length > 0)) return 1;
  return results.length === 0 ? command.failureCode : 0;
});

/** Starts the PostgreSQL servers that only this scenario needs, if it needs any. */
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
  { scenario, servers, ...rest }: Values<typeof options>,
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
