import { Stage } from '../src/explorer/stage.ts';
import { prepareLabDatabase } from '../src/lab/stages/stages.ts';
import { closeStores } from '../src/lab/stores/index.ts';
import { addDatabase, openScratch } from '../src/platform/postgres/scratch.ts';
import { buildGuard } from '../src/platform/process/build.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { readConfig } from '../src/service/config/config.ts';

/** The number of scratch databases that this command uses now. */
let underWay = 0;

/** Runs work on a new database with the lab's tables. The database is dropped at the end. */
export async function withScratchDatabase<T>(
  stop: AbortSignal,
  work: (url: string) => Promise<T>,
): Promise<T> {
  await buildGuard();
  const { url, ...scratch } = await openScratch(readConfig().databaseUrl, stop);
  underWay++;
  try {
    await unlessStopped(stop, prepareLabDatabase(url));
    return await work(url);
  } finally {
    // All stages of a command share the stores, so only the last stage closes the stores.
    const closed = --underWay === 0 ? closeStores() : undefined;
    await Promise.all([closed, scratch.stop()]);
  }
}

/** Runs the work with two scratch databases of one server. */
export const withTwoScratchDatabases = <T>(
  stop: AbortSignal,
  work: (urls: string[]) => Promise<T>,
): Promise<T> =>
  withScratchDatabase(stop, async (first) => {
    const second = await addDatabase(first, 'second');
    await unlessStopped(stop, prepareLabDatabase(second));
    return work([first, second]);
  });

/** Runs work on a stage of the explorer. The stage uses a new database with the lab's tables. */
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
