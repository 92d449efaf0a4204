import { drizzleDatabases } from '../src/explorer/databases.ts';
import { Stage } from '../src/explorer/stage.ts';
import { prepareLabDatabase } from '../src/lab/stages/stages.ts';
import { closeStores } from '../src/lab/stores/index.ts';
import { databaseIn } from '../src/platform/db/hosts.ts';
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

/**
 * The number of stages on which one command plays schedules. On one stage, the explorer and
 * PostgreSQL wait for each other in turns. On two processors, 2 stages played 125 schedules a
 * second, and 4 stages played 140 (medians of 3 rounds in turns). Then both processors are busy.
 */
const LANES = 4;

/** Runs work on a stage of the explorer. The stage uses a new database with the lab's tables. */
export const withStage = <T>(stop: AbortSignal, work: (stage: Stage) => Promise<T>): Promise<T> =>
  withStages(stop, ([stage]) => work(stage), 1);

/** Runs work on several stages of the explorer. Each stage uses a new database of one server. */
export const withStages = <T>(
  stop: AbortSignal,
  work: (stages: readonly [Stage, ...Stage[]]) => Promise<T>,
  count = LANES,
): Promise<T> =>
  withLanes(
    stop,
    async ([url, ...others]) => {
      const open = (each: string) => new Stage(each, drizzleDatabases());
      const stages = [open(url), ...others.map(open)] as const;
      try {
        return await work(stages);
      } finally {
        await Promise.all(stages.map((stage) => stage.close()));
      }
    },
    count,
  );

/** Runs work with several new databases of one server. Each database has the lab's tables. */
export function withLanes<T>(
  stop: AbortSignal,
  work: (urls: readonly [string, ...string[]]) => Promise<T>,
  count = LANES,
): Promise<T> {
  return withScratchDatabase(stop, async (url) => {
    const copies: string[] = [];
    // A database can be copied only while nobody is connected to it.
    while (copies.length + 1 < count)
      copies.push(await addDatabase(url, `lane_${copies.length + 2}`, databaseIn(url)));
    return work([url, ...copies]);
  });
}
