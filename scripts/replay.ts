import { z } from 'zod';
import { sessionsIn } from '../src/lab/chapter.ts';
import { CHOICE, sessionOf } from '../src/lab/explore/choices.ts';
import { replay } from '../src/lab/explore/explore.ts';
import { tell } from '../src/lab/explore/tell.ts';
import { UsageError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { withStage } from './arena.ts';
import { chooseSituation, chooseStrategies, situationsInHelp } from './chosen.ts';

const HELP = `Plays one schedule of a strategy, and prints what happened.

Usage: npm run replay -- NAME SCHEDULE [--situation NAME] [--sessions N]

  NAME               a strategy, such as claims/naive or naive
  SCHEDULE           the sessions in the order of their steps, such as 1,1,2,1,2,2.
                     t: time passes. k1: the process of session 1 dies. l1: session 1
                     makes a step, but the answer is lost. .1: session 1 answers its
                     client. d1: it answers, and dies. x1: its connection is cut.
                     If the schedule is too short, the first possible choice is made.
  --situation NAME   one of the chapter's situations (default: its first), which are
                     ${situationsInHelp}
  --sessions N       sessions at once (2 or 3; default: those in the schedule, or the
                     situation's own number)
  --help             show this

The same schedule prints the same transcript each time. Exit code: 0 when the
schedule was played, 2 when the command could not run as asked.
`;

const rules = z.object({
  situation: z.string().optional(),
  sessions: whole('--sessions', 2, 3, 2),
  help: z.boolean().default(false),
});

runMain(async (stop) => {
  const { options, positionals } = readOptions('replay', rules, {
    options: {
      situation: { type: 'string' },
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
  const chosen = chooseStrategies([name]);
  const { chapter, strategies } = chosen;
  const [strategy, another] = strategies;
  const situation = chooseSituation(chosen, options.situation);
  const steps = readSchedule(schedule);
  if (!strategy || another) throw new UsageError('One strategy is played at a time.');
  const sessions = sessionsIn(situation, Math.max(options.sessions, ...steps.map(sessionOf)));
  await withStage(stop, async (stage) => {
    const played = await replay(stage, chapter.trial(strategy, situation, sessions), steps);
    print(`${tell(played).transcript}\nschedule: ${played.schedule.join(',')}\n`);
  });
  return 0;
}, 2);

function readSchedule(text: string): string[] {
  const steps = text.split(',').map((step) => step.trim());
  if (steps.length <= 200 && steps.every((step) => CHOICE.test(step))) return steps;
  throw new UsageError(
    'A schedule is a list of at most 200 choices: sessions from 1 to 3, t, and k, l, d, x or . before a ' +
      'session, such as 1,1,k1,t,2.',
  );
}
