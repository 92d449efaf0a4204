import { readConfig } from '../src/config.ts';
import { prepareDatabase } from '../src/db/migrate.ts';
import { Stage } from '../src/lab/explore/stage.ts';
import { openScratch } from '../src/postgres/scratch.ts';
import { unlessStopped } from '../src/process/main.ts';

/** Runs work on a migrated database that is thrown away afterwards. */
export async function withScratchDatabase<T>(
  stop: AbortSignal,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const scratch = await openScratch(readConfig().databaseUrl, stop);
  try {
    await unlessStopped(stop, prepareDatabase(scratch.url));
    return await work(scratch.url);
  } finally {
    await scratch.stop();
  }
}

/** Runs work on a stage for the explorer. */
export function withStage<T>(stop: AbortSignal, work: (stage: Stage) => Promise<T>): Promise<T> {
  return withScratchDatabase(stop, async (url) => {
    const stage = new Stage(url);
    try {
      return await work(stage);
    } finally {
      await stage.close();
    }
  });
}
