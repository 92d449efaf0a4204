import { fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { chapters } from '../src/lab/chapters/index.ts';
import type { Judgement } from '../src/lab/judge/judge.ts';
import { UsageError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { inProject } from '../src/process/project.ts';
import { withScratchDatabase } from './arena.ts';
import { chooseChapter, mostInHelp } from './chosen.ts';
import { paint } from './paint.ts';
import { clearProgress, showProgress } from './progress.ts';

const HELP = `Judges a strategy of your own in every schedule.

Usage: npm run judge -- FILE.ts [--chapter NAME] [--json]

FILE.ts may be anywhere on the disk. Its default export is a strategy, or only
the function of a strategy. The chapters, each with an example of an export:

${chapters.map(({ name, example }) => `  ${name.padEnd(10)} ${example}`).join('\n')}

The file may import this project's files as rowlock/…, and the packages that the
project has. Every schedule of two sessions is played, in every situation of the
chapter. Where there may be very many, the first ${mostInHelp} are played. Then eight
sessions race at full speed.

  --chapter NAME     the chapter of the strategy (default: ${chapters[0].name})
  --json             print one JSON object on stdout, and nothing else there
  --help             show this

Exit code: 0 when the strategy holds, 1 when it falls, 2 when it cannot be judged:
the file does not compile or has no default export, or the strategy hangs.
`;

const rules = z.object({
  chapter: z.string().optional(),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** Every other failure ends with this code, so 1 always means that the strategy falls. */
const FAILED = 2;

/**
 * The worker reports each step before it plays the step. The worker itself ends if a step never gives the
 * processor back. This is for a step that blocks the process without using the processor.
 */
const SILENCE_MS = 300_000;

export type WorkerReport =
  | { kind: 'step'; where: string }
  | { kind: 'judgement'; judgement: Judgement }
  | { kind: 'unusable'; message: string };

runMain(async (stop) => {
  const { options, positionals } = readOptions('judge', rules, {
    options: {
      chapter: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0)
    throw new UsageError('One file is needed: npm run judge -- my-strategy.ts');
  const { name: chapter } = chooseChapter(options.chapter);
  const judgement = await withScratchDatabase(stop, (url) =>
    judgeInWorker({ chapter, file, url }, stop),
  );
  print(`${options.json ? JSON.stringify(judgement) : describe(judgement)}\n`);
  return { holds: 0, falls: 1, hangs: 2 }[judgement.verdict];
}, FAILED);

/** A worker's task. */
export interface Task {
  /** The name of the chapter. */
  chapter: string;
  file: string;
  url: string;
}

/** Judges in a process of its own, since we must be able to end code that never ends by itself. */
async function judgeInWorker(task: Task, stop: AbortSignal): Promise<Judgement> {
  const worker = fork(inProject('scripts/judge-worker.ts'), [], {
    execArgv: process.execArgv,
    // The strategy may print. Its output goes to stderr, since stdout is for the judgement.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const end = () => worker.kill('SIGKILL');
  stop.addEventListener('abort', end);
  const ended = once(worker, 'exit');
  let where = 'loading it';
  let watchdog = setTimeout(end, SILENCE_MS);
  let last: WorkerReport | undefined;
  worker.on('message', (report: WorkerReport) => {
    clearTimeout(watchdog);
    last = report;
    if (report.kind !== 'step') return;
    watchdog = setTimeout(end, SILENCE_MS);
    where = report.where;
    showProgress(where);
  });
  worker.send(task);
  await ended;
  clearTimeout(watchdog);
  clearProgress();
  stop.throwIfAborted();
  if (last?.kind === 'judgement') return last.judgement;
  if (last?.kind === 'unusable') throw new UsageError(last.message);
  throw new UsageError(`${task.file} hangs or ended the process, at ${where}.`);
}

function describe({ strategy, verdict, checks }: Judgement): string {
  const lines = checks.flatMap(({ check, holds, detail, counterexample }) => [
    `${holds ? paint('green', 'holds') : paint('red', 'FALLS')}  ${check} (${detail})`,
    ...(counterexample
      ? ['', counterexample.transcript, `schedule: ${counterexample.schedule}`, '']
      : []),
  ]);
  const words = {
    holds: 'it holds.',
    falls: 'it falls.',
    hangs: 'it hangs, so it cannot be judged.',
  };
  return [...lines, '', `Verdict on ${strategy}: ${words[verdict]}`].join('\n');
}
