import { z } from 'zod';
import { bench, type ScenarioName, scenarioNames, usualScenarios } from '../proof/bench/bench.ts';
import { json, runCommand, whole } from '../src/platform/process/command.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { readConfig } from '../src/service/config/config.ts';
import { describeBench } from './bench-report.ts';
import { buildDist } from './dist.ts';
import { scenarioOption } from './options.ts';

const SECONDS = 'must be a number from 0.1 to 600';

const options = {
  scenario: {
    ...scenarioOption(scenarioNames),
    default: usualScenarios,
    usual: 'all but held and article',
  },
  rounds: {
    ...whole(1, 100),
    default: 5,
    words: 'rounds of each scenario, after one that warms up',
  },
  seconds: {
    value: 'N',
    type: z
      .string()
      .regex(/^\d{1,3}(\.\d+)?$/, { error: SECONDS, abort: true })
      .transform(Number)
      .pipe(z.number().min(0.1, SECONDS).max(600, SECONDS)),
    range: '0.1 to 600',
    usual: '4, and 60 for held',
    words:
      'how long a round measures the service, and as long the textbook claim; endpoints and the pick-up of queue have three times as many rounds, each half as long',
  },
  json,
};

const command = {
  name: 'bench',
  purpose: 'Measures the service against other ways to claim, and other queues.',
  options,
  notes: `The servers, PostgreSQL and the load are separate processes. Rounds measure the service
and the textbook claim in turn, and the report compares the medians. Without DATABASE_URL
the bench starts an embedded PostgreSQL. With DATABASE_URL it makes databases on that
server and drops them at the end. The account must be a superuser.

Exit code: 0 after the measurement, even if a measure is below its bar; 2 if the bench
could not run as asked, or if the service gave unexpected answers.`,
  failureCode: 2,
};

runCommand(command, async (given, stop) => {
  const { rounds, seconds } = given;
  const names: ScenarioName[] = [...new Set(given.scenario)];
  const settings = { rounds, seconds, onProgress: showProgress };
  await buildDist();
  const result = await bench(names, settings, readConfig().databaseUrl, stop);
  clearProgress();
  print(given.json ? `${JSON.stringify(result)}\n` : describeBench(result));
  return 0;
});
