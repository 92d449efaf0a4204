import { z } from 'zod';
import { sessionsIn } from '../src/lab/chapter.ts';
import { CHOICE, sessionOf } from '../src/lab/explore/choices.ts';
import { type Played, replay } from '../src/lab/explore/explore.ts';
import type { Stage } from '../src/lab/explore/stage.ts';
import { tell } from '../src/lab/explore/tell.ts';
import { faultOfFile } from '../src/lab/judge/fault-of-file.ts';
import type { Judged } from '../src/lab/judge/judge.ts';
import {
  isProgram,
  PROGRAM_HELP,
  programFlags,
  programOptions,
} from '../src/lab/programs/options.ts';
import { aFile } from '../src/process/callers-file.ts';
import { UsageError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { withStage } from './arena.ts';
import {
  type Chosen,
  chooseChapter,
  chooseSituation,
  chooseStrategies,
  situationsInHelp,
} from './chosen.ts';
import { chooseFile, withOwnFile } from './own-file.ts';
import { explainProgram, withProgramStage } from './own-program.ts';
import { paint } from './paint.ts';

const HELP = `Plays one schedule of a strategy, and prints what happened.

Usage: npm run replay -- NAME SCHEDULE [options]
       npm run replay -- --file FILE SCHEDULE [options]
       npm run replay -- --server COMMAND SCHEDULE [options]

  NAME               a strategy, such as claims/naive or naive
  --file FILE        the strategy in a TypeScript file of your own, in place of NAME
${PROGRAM_HELP}
  --chapter NAME     the chapter of the file, if the file does not tell it
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
  file: aFile('file').optional(),
  ...programOptions,
  chapter: z.string().optional(),
  situation: z.string().optional(),
  sessions: whole('--sessions', 2, 3, 2),
  help: z.boolean().default(false),
});

runMain(async (stop) => {
  const { options, positionals } = readOptions('replay', rules, {
    options: {
      file: { type: 'string' },
      ...programFlags,
      chapter: { type: 'string' },
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
  const { file } = options;
  if (isProgram(options)) {
    if (file !== undefined)
      throw new UsageError('Only one of --file, --server and --module can be given.');
    const problem = "A schedule is needed: npm run replay -- --server 'go run .' 1,2";
    return runProgram(only(positionals, problem), options, stop);
  }
  if (file !== undefined) {
    const schedule = only(positionals, 'A schedule is needed: npm run replay -- --file my.ts 1,2');
    return withOwnFile('replay', file, stop, async () =>
      run(await chooseFile(file, options.chapter), schedule, options, stop),
    );
  }
  if (options.chapter !== undefined)
    throw new UsageError('--chapter is the chapter of --file. The name says its own: queue/naive.');
  const [name = '', ...rest] = positionals;
  const schedule = only(
    rest,
    'A strategy and a schedule are needed: npm run replay -- naive 1,2,1,2',
  );
  return run(chooseStrategies([name]), schedule, options, stop);
}, 2);

function only([value, ...rest]: string[], problem: string): string {
  if (value === undefined || rest.length > 0) throw new UsageError(problem);
  return value;
}

type Options = z.infer<typeof rules>;

async function run(chosen: Chosen, schedule: string, options: Options, stop: AbortSignal) {
  const [strategy, another] = chosen.strategies;
  const steps = readSchedule(schedule);
  if (!strategy || another) throw new UsageError('One strategy is played at a time.');
  const { chapter } = chosen;
  const explain = (played: Played) => options.file && faultOfFile(played, options.file);
  const judged = { chapter, strategy };
  await withStage(stop, async (stage) => {
    tellPlayed(await play(stage, judged, steps, options), explain);
  });
  return 0;
}

async function runProgram(schedule: string, options: Options, stop: AbortSignal) {
  const steps = readSchedule(schedule);
  const chapter = chooseChapter(options.chapter);
  const sessions = Math.max(options.sessions, ...steps.map(sessionOf));
  await withProgramStage(options, { chapter, sessions }, stop, async (stage, judged) => {
    const played = await play(stage, judged, steps, options);
    // A stop ends the program, so the schedule would show errors that the program does not have.
    stop.throwIfAborted();
    tellPlayed(played, explainProgram);
  });
  return 0;
}

function play(
  stage: Stage,
  { chapter, strategy }: Judged,
  steps: string[],
  options: Options,
): Promise<Played> {
  const situation = chooseSituation({ chapter, strategies: [strategy] }, options.situation);
  const sessions = sessionsIn(situation, Math.max(options.sessions, ...steps.map(sessionOf)));
  return replay(stage, chapter.trial(strategy, situation, sessions), steps);
}

function tellPlayed(played: Played, explain: (played: Played) => string | undefined) {
  const line = explain(played);
  print(`${tell(played).transcript}\n${line ? `${paint('red', line)}\n` : ''}`);
  print(`schedule: ${played.schedule.join(',')}\n`);
}

function readSchedule(text: string): string[] {
  const steps = text.split(',').map((step) => step.trim());
  if (steps.length <= 200 && steps.every((step) => CHOICE.test(step))) return steps;
  throw new UsageError(
    'A schedule is a list of at most 200 choices: sessions from 1 to 3, t, and k, l, d, x or . before a ' +
      'session, such as 1,1,k1,t,2.',
  );
}
