import { drizzleDatabases } from '../src/explorer/databases.ts';
import type { Played } from '../src/explorer/explore.ts';
import { Stage } from '../src/explorer/stage.ts';
import type { Chapter } from '../src/lab/chapter.ts';
import { isOfTrial } from '../src/lab/chapter.ts';
import type { Judged } from '../src/lab/judge/judge.ts';
import { type ProgramOptions, readProgram } from '../src/lab/programs/options.ts';
import { withProgram } from '../src/lab/programs/program.ts';
import { ProgramStage } from '../src/lab/programs/stage.ts';
import { takeTls } from '../src/platform/db/hosts.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { withScratchDatabase } from './arena.ts';

/** Returns a line about a program that gave no answer, or an answer that we do not understand. */
export function explainProgram({ endings }: Played): string | undefined {
  for (const ending of endings)
    if ('error' in ending && ending.error instanceof Error && !isOfTrial(ending.error))
      return ending.error.message;
  return undefined;
}

/** Does the work with copies of the program at full speed: no proxy holds back their statements. */
type AtFullSpeed = <T>(work: (stage: Stage, judged: Judged) => Promise<T>) => Promise<T>;

/** Runs the work in a new database. The program reaches the database only through our proxy. */
export function withProgramStage<T>(
  options: ProgramOptions,
  { chapter, sessions }: { chapter: Chapter; sessions: number },
  stop: AbortSignal,
  work: (stage: Stage, judged: Judged, atFullSpeed: AtFullSpeed) => Promise<T>,
): Promise<T> {
  const program = readProgram(options, chapter);
  return withScratchDatabase(stop, async (url) => {
    const atFullSpeed: AtFullSpeed = (run) =>
      withOpen(new Stage(url, drizzleDatabases()), (stage) => {
        const urls = Array<string>(sessions).fill(plain(url));
        const place = { chapter, urls, isRehearsed: false };
        return withProgram(program, place, stop, (judged) => run(stage, judged));
      });
    showProgress(`starting ${sessions} copies of ${program.name}`);
    const order = { program, chapter, sessions, onRemark };
    const stage = await ProgramStage.open(url, order, stop).finally(clearProgress);
    return withOpen(stage, () => work(stage, stage.tried, atFullSpeed));
  });
}

async function withOpen<S extends Stage, T>(stage: S, work: (stage: S) => Promise<T>): Promise<T> {
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

/**
 * Returns the address with TLS turned off, unless the address asks for TLS. Many drivers try TLS,
 * which a scratch database lacks.
 */
export function plain(url: string): string {
  const address = new URL(url);
  if (takeTls(new URL(url))?.mode !== 'disable') return url;
  address.searchParams.set('sslmode', 'disable');
  return address.href;
}

function onRemark(remark: string) {
  clearProgress();
  print(`${remark}\n`, process.stderr);
}
