import { CHOICE, sessionOf } from '../src/explorer/choice.ts';
import { type Played, replay } from '../src/explorer/explore.ts';
import type { Stage } from '../src/explorer/stage.ts';
import { tell } from '../src/explorer/tell.ts';
import { sessionsIn } from '../src/lab/chapter.ts';
import { faultOfFile } from '../src/lab/judge/fault-of-file.ts';
import type { Judged } from '../src/lab/judge/judge.ts';
import {
  chapterOption,
  isProgram,
  limitOption,
  programOptions,
} from '../src/lab/programs/options.ts';
import { runCommand, type Values } from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { withStage } from './arena.ts';
import { type Chosen, chooseChapter, chooseSituation, chooseStrategies } from './chosen.ts';
import { fileOption, sessionsOption, situationOption } from './options.ts';
import { chooseFile, withOwnFile } from './own-file.ts';
import { explainProgram, withProgramStage } from './own-program.ts';
import { paint } from './paint.ts';

const options = {
  file: fileOption,
  ...programOptions,
  ...limitOption,
  chapter: { ...chapterOption, usual: 'the chapter that the file tells' },
  situation: situationOption,
  sessions: { ...sessionsOption, usual: 'the sessions in the schedule, and at least 2' },
};

const command = {
  name: 'replay',
  purpose: 'Plays one schedule of a strategy, and prints what happened.',
  usage: [
    'NAME SCHEDULE [options]',
    '--file FILE SCHEDULE [options]',
    '--server COMMAND SCHEDULE [options]',
  ],
  operands: {
    NAME: 'a strategy, such as claims/naive or naive',
    SCHEDULE: `the sessions in the order of their steps, such as 1,1,2,1,2,2\nt: time passes. k1: the process of session 1 dies. l1: session 1 makes a step, but the answer is lost. .1: session 1 answers its client. d1: it answers, and dies. x1: its connection is cut. f1: its next statement fails. If the schedule is too short, the first possible choice is made.`,
  },
  options,
  notes: `The same schedule prints the same transcript each time. Exit code: 0 when the
schedule was played, 2 when the command could not run as asked.`,
  failureCode: 2,
};

runCommand(command, async (options, stop, operands) => {
  const { file } = options;
  if (isProgram(options)) {
    if (file !== undefined)
      throw new UsageError('Only one of --file, --server and --module can be given.');
    const problem = "A schedule is needed: npm run replay -- --server 'go run .' 1,2";
    return runProgram(only(operands, problem), options, stop);
  }
  if (file !== undefined) {
    const schedule = only(operands, 'A schedule is needed: npm run replay -- --file my.ts 1,2');
    return withOwnFile('replay', file, stop, async () =>
      run(await chooseFile(file, options.chapter), schedule, options, stop),
    );
  }
  if (options.chapter !== undefined)
    throw new UsageError('--chapter is the chapter of --file. The name says its own: queue/naive.');
  const [name = '', ...rest] = operands;
  const schedule = only(
    rest,
    'A strategy and a schedule are needed: npm run replay -- naive 1,2,1,2',
  );
  return run(chooseStrategies([name]), schedule, options, stop);
});

function only([value, ...rest]: string[], problem: string): string {
  if (value === undefined || rest.length > 0) throw new UsageError(problem);
  return value;
}

type Options = Values<typeof options>;

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
    // A stop of this command ends the program. The transcript would show this as an error.
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
