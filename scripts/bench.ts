import { z } from 'zod';
import { bench, type ScenarioName, scenarioNames, usualScenarios } from '../src/bench/bench.ts';
import { readConfig } from '../src/config.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { describeBench } from './bench-report.ts';
import { buildDist } from './dist.ts';
import { clearProgress, showProgress } from './progress.ts';

const HELP = `Measures the service against the textbook claim.

Usage: npm run bench -- [options]

  --scenario NAME    may be given several times (default: all but held); one of
                     ${scenarioNames.join(' ')}
  --rounds N         rounds that count, after one that warms up (1 to 100, default 5)
  --seconds N        how long a round measures the service, and as long the textbook
                     claim (0.1 to 600, default 4; held: 60)
                     endpoints and the pick-up of queue have three times as many
                     rounds, each half as long
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

The servers, PostgreSQL and the load are separate processes. Rounds measure the service
and the textbook claim in turn, and the report compares the medians. Without DATABASE_URL
the bench starts an embedded PostgreSQL. With DATABASE_URL it makes databases on that
server and drops them at the end. The account must be a superuser.

Exit code: 0 after the measurement, even if a measure is below its bar; 2 if the bench
could not run as asked, or if the service gave unexpected answers.
`;

const SECONDS = '--seconds must be a number from 0.1 to 600';

const rules = z.object({
  scenario: z
    .array(z.enum(scenarioNames, `--scenario must be one of ${scenarioNames.join(', ')}`))
    .default(usualScenarios),
  rounds: whole('--rounds', 1, 100, 5),
  seconds: z
    .string()
    .regex(/^\d{1,3}(\.\d+)?$/, { error: SECONDS, abort: true })
    .transform(Number)
    .pipe(z.number().min(0.1, SECONDS).max(600, SECONDS))
    .optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

runMain(async (stop) => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('bench', rules, {
    options: {
      scenario: { ...text, multiple: true },
      rounds: text,
      seconds: text,
      json: flag,
      help: flag,
    },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const { rounds, seconds } = options;
  const names: ScenarioName[] = [...new Set(options.scenario)];
  const settings = { rounds, seconds, onProgress: showProgress };
  await buildDist();
  const result = await bench(names, settings, readConfig().databaseUrl, stop);
  clearProgress();
  print(options.json ? `${JSON.stringify(result)}\n` : describeBench(result));
  return 0;
}, 2);
