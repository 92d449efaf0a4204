import { until } from '../../waiting/until.ts';
import type { ToolProcess } from '../processes.ts';
import { askAll, type Crew } from './crew.ts';
import { LOOK_MS } from './measurements.ts';
import { now, type ToolReport } from './tool.ts';

/** How many tasks come in each second. */
export const INTAKE = 1_000;

/**
 * Holds a transaction open while tasks come in, and counts the tasks that wait at the end of each
 * second. One process works, and another process makes the tasks. Ends both processes.
 */
export async function measureBacklog(crew: Crew, seconds: number): Promise<number[]> {
  const [worker, maker] = crew.processes as [ToolProcess, ToolProcess];
  await askAll([worker, maker], { kind: 'open', url: crew.url });
  await worker.ask({ kind: 'work' });
  const backlog = await crew.whileTransactionIsOpen(async () => {
    await maker.ask({ kind: 'stream', perSecond: INTAKE, seconds, each: 'some' });
    const begin = now();
    const waiting: number[] = [];
    while (waiting.length < seconds) {
      const next = begin + 1000 * (waiting.length + 1);
      await until(() => now() >= next, { everyMs: LOOK_MS });
      waiting.push(await waitingNow(maker, worker));
    }
    return waiting;
  });
  crew.stop();
  return backlog;
}

async function waitingNow(maker: ToolProcess, worker: ToolProcess): Promise<number> {
  const [made, done] = (await askAll([maker, worker], { kind: 'look' })) as [
    ToolReport,
    ToolReport,
  ];
  return made.added - done.begun;
}
