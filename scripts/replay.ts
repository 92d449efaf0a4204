import { z } from 'zod';
import {
  claimScenario,
  claimSettings,
  settingNamed,
} from '../src/lab/chapters/claims/situations.ts';
import { chooseStrategies } from '../src/lab/chapters/claims/strategies/index.ts';
import { replay } from '../src/lab/explore/explore.ts';
import { tell } from '../src/lab/explore/told.ts';
import { UsageError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { print } from '../src/process/print.ts';
import { withStage } from './arena.ts';
import { readOptions, whole } from './options.ts';

const HELP = `Plays one schedule of a strategy, and prints what happened.

Usage: npm run replay -- NAME SCHEDULE [--scenario NAME] [--sessions N]

  NAME               a strategy, such as naive
  SCHEDULE           who makes the next step: 1,1,2,1,2,2 (t: time passes). Where it
                     ends before the sessions do, the lowest number goes on.
  --scenario NAME    the situation: ${claimSettings.map(({ name }) => name).join(', ')}
                     (default: ${claimSettings[0].name})
  --sessions N       recruiters at once (2 or 3; default: those in the schedule)
  --help             show this

The same schedule prints the same transcript each time. Exit code: 0 when it was
played, whatever came of it; 2 when it could not be run as asked.
`;

const rules = z.object({
  scenario: z
    .enum(
      claimSettings.map(({ name }) => name),
      `--scenario must be one of ${claimSettings.map(({ name }) => name).join(', ')}`,
    )
    .default(claimSettings[0].name),
  sessions: whole('--sessions', 2, 3, 2),
  help: z.boolean().default(false),
});

runMain(async (stop) => {
  const { options, positionals } = readOptions('replay', rules, {
    options: {
      scenario: { type: 'string' },
      sessions: { type: 'string' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const [name, schedule, ...rest] = positionals;
  if (name === undefined || schedule === undefined || rest.length > 0)
    throw new UsageError('A strategy and a schedule are needed: npm run replay -- naive 1,2,1,2');
  const [strategy, another] = chooseStrategies([name]);
  const steps = readSchedule(schedule);
  const setting = settingNamed(options.scenario);
  if (!strategy || another) throw new UsageError('One strategy is played at a time.');
  const sessions = Math.max(
    options.sessions,
    ...steps.map((step) => Number(step.replace('x', '')) || 0),
  );
  await withStage(stop, async (stage) => {
    const played = await replay(stage, claimScenario(strategy, setting, sessions), steps);
    print(`${tell(played).transcript}\nschedule: ${played.schedule.join(',')}\n`);
  });
  return 0;
}, 2);

function readSchedule(text: string): string[] {
  const steps = text.split(',').map((step) => step.trim());
  if (steps.length <= 200 && steps.every((step) => /^([123]|t|x[123])$/.test(step))) return steps;
  throw new UsageError(
    'A schedule is a list of at most 200 session numbers from 1 to 3 and t, such as 1,1,2,t,2.',
  );
}
