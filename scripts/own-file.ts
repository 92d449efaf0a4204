import { z } from 'zod';
import { explain } from '../src/lab/judge/explain.ts';
import { loadStrategy } from '../src/lab/judge/load-strategy.ts';
import { assertCode } from '../src/lab/judge/place.ts';
import { isGuarded, openChannel } from '../src/lab/own/channel.ts';
import { guardThisProcess } from '../src/lab/own/guarded.ts';
import { GuardedProcess } from '../src/lab/own/guarded-process.ts';
import { beat, failed } from '../src/lab/own/messages.ts';
import { dropLeftovers } from '../src/platform/postgres/scratch.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { clearProgress } from '../src/platform/process/progress.ts';
import { readConfig } from '../src/service/config/config.ts';
import { type Chosen, chooseChapterIfNamed } from './chosen.ts';

/** The code of `ended` is the exit code of the command. */
const report = z.discriminatedUnion('kind', [
  beat,
  failed,
  z.object({ kind: z.literal('ended'), code: z.number() }),
]);
type Report = z.infer<typeof report>;

/**
 * Loads the strategy of a student's file. Without `chapterName`, the code determines the chapter.
 */
export async function chooseFile(file: string, chapterName: string | undefined): Promise<Chosen> {
  const { chapter, strategy } = await loadStrategy(chooseChapterIfNamed(chapterName), file);
  return { chapter, strategies: [strategy] };
}

/**
 * Runs a command with a student's file, and returns its exit code. The command starts itself again
 * in a separate process, and does `work` there. We can end this process if the student's code never
 * ends. Throws a `UsageError` of one line if the file cannot be used.
 */
export async function withOwnFile(
  command: string,
  file: string,
  stop: AbortSignal,
  work: () => Promise<number>,
): Promise<number> {
  if (isGuarded()) return workForParent(file, work);
  assertCode(file);
  const worker = new GuardedProcess({
    program: `scripts/${command}.ts`,
    args: process.argv.slice(2),
    file,
    stdout: 'inherit',
  });
  const result = await resultOf(worker, stop);
  stop.throwIfAborted();
  if (typeof result === 'number') return result;
  const { databaseUrl } = readConfig();
  if (databaseUrl !== undefined) await dropLeftovers(databaseUrl, stop).catch(() => undefined);
  throw new UsageError(result);
}

/** Returns the exit code of the work, or the reason why the process ended too early. */
async function resultOf(worker: GuardedProcess<never>, stop: AbortSignal) {
  let code: number | undefined;
  worker.hear(report, (message) => {
    if (message.kind === 'ended') code = message.code;
    if (message.kind === 'failed') worker.end(message.line);
  });
  const end = () => {
    worker.terminate();
    worker.endSoon('The command stops.');
  };
  stop.addEventListener('abort', end);
  const why = await worker.ended;
  stop.removeEventListener('abort', end);
  clearProgress();
  return code ?? why;
}

async function workForParent(file: string, work: () => Promise<number>): Promise<number> {
  const channel = openChannel<Report, never>({ kind: 'beat' });
  const fail = guardThisProcess(file, channel);
  try {
    const code = await work();
    await channel.tell({ kind: 'ended', code });
    return code;
  } catch (error) {
    // The parent prints the message, so this process prints nothing.
    return fail(explain(error, file));
  }
}
