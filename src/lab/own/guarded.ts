import { Console } from 'node:console';
import { syncBuiltinESMExports } from 'node:module';
import { explain } from '../judge/explain.ts';
import { inFolder, lineAbout } from '../judge/place.ts';
import { watchOver } from '../judge/watchdog.ts';
import { CHANNEL_FD, type Channel } from './channel.ts';
import { type Beat, type Failed, SILENCE_MS } from './messages.ts';

/** The maximum processor time between two beats. If the process uses more time, it ends itself. */
const MOST_PROCESSOR_MS = 3_000;
const BEAT_MS = 100;
/** The maximum memory of the process. The judge and the lab need a fifth of this memory. */
const MOST_MEMORY_BYTES = 1_000_000_000;

/**
 * Prepares this process for a student's code. The process ends itself if the code blocks the
 * process in an endless loop, if the code uses too much memory, or if the parent has gone. If the
 * code throws an error that no code catches, the parent gets one line about this error. Returns a
 * function that sends a line to the parent and ends the process.
 */
export function guardThisProcess<Heard>(
  file: string,
  { tell, lineOf, onClose }: Channel<Beat | Failed, Heard>,
): (line: string) => Promise<never> {
  const failed = (line: string): Failed => ({ kind: 'failed', line });
  const fail = async (line: string) => {
    await tell(failed(line));
    process.exit();
  };
  keepStdout();
  const told = (words: string) => lineOf(failed(`${inFolder(file)}: ${words}`));
  const beat = watchOver(MOST_PROCESSOR_MS, {
    mostMemoryBytes: MOST_MEMORY_BYTES,
    fd: CHANNEL_FD,
    endless: told('it never gives the processor back, as an endless loop does.'),
    memory: told('it uses too much memory.'),
  });
  setInterval(beat, BEAT_MS).unref();
  setInterval(() => void tell({ kind: 'beat' }), SILENCE_MS / 10).unref();
  onClose(() => process.kill(-process.pid, 'SIGKILL'));
  process.on('unhandledRejection', (error) =>
    fail(`${lineAbout(error, file)} (Nobody awaited this promise.)`),
  );
  process.on('uncaughtException', (error) => fail(explain(error, file)));
  return fail;
}

/** Redirects the student's prints to stderr, because stdout is for the result of the command. */
function keepStdout() {
  const { stderr } = process;
  Object.assign(globalThis.console, new Console(stderr, stderr));
  Object.defineProperty(process, 'stdout', { value: stderr });
  syncBuiltinESMExports();
}
