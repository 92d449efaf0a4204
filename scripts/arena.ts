import { Stage } from '../src/explorer/stage.ts';
import { prepareLabDatabase } from '../src/lab/stages/database.ts';
import { closeStores } from '../src/lab/stores/index.ts';
import { openScratch } from '../src/platform/postgres/scratch.ts';
import { buildGuard } from '../src/platform/process/build.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { readConfig } from '../src/service/config/config.ts';

/** How many scratch databases this command uses now. */
let underWay = 0;

/** Runs work on a new database with the lab's tables. The database is dropped at the end. */
export async function withScratchDatabase<T>(
  stop: AbortSignal,
  work: (url: string) => Promise<T>,
): Promise<T> {
  await buildGuard();
  return withDatabaseOn(readConfig().databaseUrl, stop, async (url) => {
    underWay++;
    try {
      return await work(url);
    } finally {
      // All stages of a command share the stores, so only the last stage closes the stores.
      if (--underWay === 0) await closeStores();
    }
  });
}

/** Runs the work with two scratch databases of one server. */
export const withTwoScratchDatabases = <T>(
  stop: AbortSignal,
  work: (urls: string[]) => Promise<T>,
): Promise<T> =>
  withScratchDatabase(stop, (first) =>
    withDatabaseOn(first, stop, (second) => work([first, second])),
  );

async function withDatabaseOn<T>(
  serverUrl: string | undefined,
  stop: AbortSignal,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const scratch = await openScratch(serverUrl, stop);
  try {
    await unlessStopped(stop, prepareLabDatabase(scratch.url));
    return await work(scratch.url);
  } finally {
    await scratch.stop();
  }
}

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
