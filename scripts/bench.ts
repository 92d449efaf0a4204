import { z } from 'zod';
import { bench, type ScenarioName, scenarioNames } from '../src/bench/bench.ts';
import { readConfig } from '../src/config.ts';
import { runMain } from '../src/process/main.ts';
import { print } from '../src/process/print.ts';
import { describeBench } from './bench-report.ts';
import { readOptions, whole } from './options.ts';
import { clearProgress, showProgress } from './progress.ts';

const HELP = `Measures the service against the textbook claim.

Usage: npm run bench -- [options]

  --scenario NAME    may be given several times (default: all); one of
                     ${scenarioNames.join(' ')}
  --rounds N         rounds that count, after one that warms up (1 to 100, default 5)
  --seconds N        how long each side is measured in a round (0.1 to 600,
                     default 4)
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

The servers, PostgreSQL and the load are separate processes. Rounds alternate between
the sides, and the medians are compared. Without DATABASE_URL an embedded PostgreSQL is
started. With DATABASE_URL the bench makes databases on that server and drops them at
the end. The account must be a superuser.

Exit code: 0 when the bench has measured, whether or not the bars were reached; 2 when
it could not run as asked, or when the answers were not the expected ones.
`;

const SECONDS = '--seconds must be a number from 0.1 to 600';

const rules = z.object({
  scenario: z
    .array(z.enum(scenarioNames, `--scenario must be one of ${scenarioNames.join(', ')}`))
    .default(scenarioNames),
  rounds: whole('--rounds', 1, 100, 5),
  seconds: z
    .string()
    .regex(/^\d{1,3}(\.\d+)?$/, { error: SECONDS, abort: true })
    .transform(Number)
    .pipe(z.number().min(0.1, SECONDS).max(600, SECONDS))
    .default(4),
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
  const result = await bench(names, settings, readConfig().databaseUrl, stop);
  clearProgress();
  print(options.json ? `${JSON.stringify(result)}\n` : describeBench(result));
  return 0;
}, 2);
