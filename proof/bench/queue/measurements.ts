import { PlainError } from '../../../src/platform/process/errors.ts';
import type { ToolProcess } from '../processes.ts';
import type { Figures, Measurement } from '../rounds.ts';
import { askAll, type Crew, total } from './crew.ts';
import { now, type PickUp, type Stream } from './tool.ts';

/**
 * Measures how fast this number of processes does tasks that were added before. The time runs from
 * the beginning of the first task until all acknowledgements are committed.
 */
export const measureThroughput =
  (crew: Crew, processes: number, tasks: number): Measurement =>
  async () => {
    await crew.clear();
    const workers = crew.processes.slice(0, processes);
    await askAll(workers, { kind: 'open', url: crew.url });
    await crew.first.ask({ kind: 'add', tasks });
    await askAll(workers, { kind: 'work' });
    await workedOff(crew, workers, tasks);
    const end = now();
    const reports = await askAll(workers, { kind: 'close' });
    const begin = Math.min(...reports.map(({ firstAt = end }) => firstAt));
    return { perSecond: (1000 * tasks) / (end - begin) };
  };

/** Waits until all tasks are acknowledged. Throws unless each task has begun exactly once. */
async function workedOff(crew: Crew, workers: ToolProcess[], tasks: number) {
  const begun = async () => total('begun', await askAll(workers, { kind: 'look' }));
  await crew.expectSoon(async () => (await begun()) >= tasks, 'begin all tasks');
  await crew.acknowledged();
  const times = await begun();
  if (times !== tasks)
    throw new PlainError(`${crew.name}: ${tasks} tasks were made, but tasks began ${times} times.`);
}

/** The tasks of a pick-up stream come one by one. So a worker is busy, but never behind. */
const PICK_UP = { perSecond: 200, each: 'one' } as const;
/**
 * The length of the warm-up. Its tasks do not count, because the first tasks meet an idle worker.
 */
const WARM_UP_S = 0.5;

/**
 * Measures the time from the call that makes a task until the task begins. First the process of the
 * worker makes the tasks, then another process makes them.
 */
export const measurePickUp =
  (crew: Crew, seconds: number): Measurement =>
  async () => {
    await crew.clear();
    const [worker, other] = crew.processes as [ToolProcess, ToolProcess];
    await askAll([worker, other], { kind: 'open', url: crew.url });
    await worker.ask({ kind: 'work' });
    await pickUpOf(crew, worker, { ...PICK_UP, seconds: WARM_UP_S });
    const own = await pickUpOf(crew, worker, { ...PICK_UP, seconds });
    const others = await pickUpOf(crew, other, { ...PICK_UP, seconds });
    await askAll([worker, other], { kind: 'close' });
    return {
      'own p50': own.p50,
      'own p99': own.p99,
      'other p50': others.p50,
      'other p99': others.p99,
    };
  };

/**
 * Returns the pick-up times of a stream. `maker` adds the tasks, and the first process runs them.
 */
async function pickUpOf(crew: Crew, maker: ToolProcess, stream: Stream): Promise<PickUp> {
  await maker.ask({ kind: 'stream', ...stream });
  await crew.expectSoon(async () => !(await maker.ask({ kind: 'look' })).isAdding, 'add tasks');
  await crew.acknowledged();
  const { pickUp } = await crew.first.ask({ kind: 'measure' });
  return pickUp ?? { p50: Number.NaN, p99: Number.NaN };
}

/** Measures how much larger the database is when all these tasks are done. */
export async function measureSize(crew: Crew, tasks: number): Promise<Figures> {
  await crew.clear();
  const before = await crew.size();
  await crew.first.ask({ kind: 'open', url: crew.url });
  await crew.first.ask({ kind: 'add', tasks });
  await crew.first.ask({ kind: 'work' });
  await workedOff(crew, [crew.first], tasks);
  await crew.first.ask({ kind: 'close' });
  return { mb: (await crew.size()) - before };
}
