/**
 * Tries one file in a process that the coach can end. The process is ready before the file comes.
 */

import { drizzleDatabases } from '../../explorer/databases.ts';
import { Divergence } from '../../explorer/forks.ts';
import { Stage } from '../../explorer/stage.ts';
import { Hang } from '../../explorer/stillness.ts';
import { describe, PlainError } from '../../platform/process/errors.ts';
import { inFolder, lineAbout } from '../judge/place.ts';
import { watchOver } from '../judge/watchdog.ts';
import { attempt } from '../lessons/attempt.ts';
import type { AttemptResult } from '../lessons/attempt-strategy.ts';
import type { Exercise } from '../lessons/exercise.ts';

/**
 * The first message. It carries the address of the database, and the address has a password. An
 * argument must not carry the address, because every user of the computer can read the arguments of
 * a process.
 */
export interface DatabaseAddress {
  url: string;
}

export interface Order {
  exercise: Exercise;
  file: string;
}

/** `first` is a result that a more exact result may follow. */
export type Report =
  | { kind: 'step'; where: string }
  | { kind: 'first' | 'last'; attempt: AttemptResult };

const SESSIONS = 2;
/** The limit of a step. Loading a file takes a second on a slow machine. Other steps take less. */
const MOST_PROCESSOR_MS = 5_000;

/** The coach shows only the first line that a file prints. These characters fit into the pipe. */
const MOST_PRINTED = 8_000;

boundOutput(process.stdout);
// If the coach dies, a write may fail. This is no error of the file.
process.stdout.on('error', () => undefined);
// If the coach is gone, nobody needs the answer.
process.once('disconnect', () => process.exit());
process.once('message', ({ url }: DatabaseAddress) => {
  const stage = new Stage(url, drizzleDatabases());
  const ready = makeReady(stage);
  // The answer to the order reports this error.
  ready.catch(() => undefined);
  process.once('message', (order: Order) => obey(stage, ready, order));
});

/**
 * Drops what a file prints after the first characters. Otherwise, Node keeps the output until the
 * coach reads it. A file that printed 100 MB in each claim took 4 GB, and its worker needed five
 * seconds of processor time to write them.
 */
function boundOutput(out: NodeJS.WriteStream) {
  const write = out.write.bind(out);
  let left = MOST_PRINTED;
  out.write = (text: string | Uint8Array, ...more: unknown[]) => {
    const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
    if (left === 0) {
      if (done) process.nextTick(done);
      return true;
    }
    const [encoding] = more.filter((each) => typeof each === 'string') as BufferEncoding[];
    const kept = text.slice(0, left);
    left -= kept.length;
    return write(kept as string, encoding, done);
  };
}

function obey(stage: Stage, ready: Promise<void>, order: Order) {
  const tell = (error: unknown) => answer({ kind: 'unusable', line: explain(order.file, error) });
  // These events come if the student's code does not await a promise, and this promise fails.
  process.on('unhandledRejection', tell);
  process.on('uncaughtException', tell);
  const stepBegins = watchOver(MOST_PROCESSOR_MS);
  const onStep = (where: string) => {
    stepBegins();
    report({ kind: 'step', where });
  };
  const onFall = (fall: AttemptResult) => report({ kind: 'first', attempt: fall });
  ready
    .then(() => attempt(stage, order.exercise, order.file, { onStep, onFall }))
    .then(answer)
    .catch(tell);
}

/**
 * Opens the connections. Ends the connections of an earlier worker that was killed during a
 * statement.
 */
async function makeReady(stage: Stage) {
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

const answer = (attempt: AttemptResult) => report({ kind: 'last', attempt }, () => process.exit());

const report = (message: Report, then?: () => void) =>
  void process.send?.(message, undefined, undefined, () => then?.());
