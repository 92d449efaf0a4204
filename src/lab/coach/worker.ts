/** Tries one file, in a process that the coach can end. The process is warm before the file comes. */

import { describe, PlainError } from '../../process/errors.ts';
import { Divergence } from '../explore/forks.ts';
import { Stage } from '../explore/stage.ts';
import { Hang } from '../explore/stillness.ts';
import { inFolder, lineAbout } from '../judge/place.ts';
import { watchOver } from '../judge/watchdog.ts';
import { type Attempt, attempt } from '../lessons/attempt.ts';
import type { Exercise } from '../lessons/exercise.ts';

export interface Order {
  exercise: Exercise;
  file: string;
}

/** `first` is a result that a more exact result may follow. */
export type Report = { kind: 'step'; where: string } | { kind: 'first' | 'last'; attempt: Attempt };

const SESSIONS = 2;
/** Loading a file takes a second on a slow machine, and a step takes milliseconds. */
const MOST_PROCESSOR_MS = 5_000;

const stage = new Stage(process.argv[2] ?? '');
const ready = makeReady();
// The answer to the order reports this error.
ready.catch(() => undefined);
// If the coach is gone, nobody needs the answer.
process.once('disconnect', () => process.exit());
process.once('message', (order: Order) => {
  const tell = (error: unknown) => answer({ kind: 'unusable', line: explain(order.file, error) });
  // The student's code ignores a promise, and this promise has failed.
  process.on('unhandledRejection', tell);
  process.on('uncaughtException', tell);
  const stepBegins = watchOver(MOST_PROCESSOR_MS);
  const onStep = (where: string) => {
    stepBegins();
    report({ kind: 'step', where });
  };
  const onFall = (fall: Attempt) => report({ kind: 'first', attempt: fall });
  ready
    .then(() => attempt(stage, order.exercise, order.file, { onStep, onFall }))
    .then(answer)
    .catch(tell);
});

/** Opens the connections. A worker before us may have been killed in the middle of a statement. */
async function makeReady() {
  await stage.run(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and pid <> pg_backend_pid()`,
  );
  await stage.sessions(SESSIONS);
}

function explain(file: string, error: unknown): string {
  if (error instanceof Divergence)
    return `${inFolder(file)}: it runs differently when it is played again. Use no clock and no random values.`;
  if (error instanceof PlainError)
    return error.message
      .replace(file, inFolder(file))
      .replace(/^(\S+) does not compile: (.+) \(line (\d+)\)$/, '$1:$3: $2');
  if (error instanceof Hang) return `${inFolder(file)}: it hangs, since ${error.message}.`;
  return error instanceof Error ? lineAbout(error, file) : describe(error);
}

const answer = (attempt: Attempt) => report({ kind: 'last', attempt }, () => process.exit());

const report = (message: Report, then?: () => void) =>
  void process.send?.(message, undefined, undefined, () => then?.());
