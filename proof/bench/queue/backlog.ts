import { pause } from '../../../src/platform/waiting/backoff.ts';
import type { ToolProcess } from '../processes.ts';
import { askAll, type Crew } from './crew.ts';
import { now, type ToolReport } from './tool.ts';

/** The number of tasks that come in each second. */
export const INTAKE = 1_000;

/**
 * Holds a transaction open while tasks come in, and counts the tasks that wait at the end of each
 * second. One process works, and another process makes the tasks. A tool may be far behind at the
 * end, so the crew cannot be used again.
 */
export async function measureBacklog(crew: Crew, seconds: number): Promise<number[]> {
  const [worker, maker] = crew.processes as [ToolProcess, ToolProcess];
  await askAll([worker, maker], { kind: 'open', url: crew.url });
  await worker.ask({ kind: 'work' });
  // An idle worker polls with long pauses. The first task ends these pauses.
  await maker.ask({ kind: 'add', tasks: 1 });
  await crew.expectSoon(async () => (await waitingNow(maker, worker)) === 0, 'begin a task');
  return crew.whileTransactionIsOpen(async () => {
    await maker.ask({ kind: 'stream', perSecond: INTAKE, seconds, each: 'some' });
    const begin = now();
    const waiting: number[] = [];
    while (waiting.length < seconds) {
      const next = begin + 1000 * (waiting.length + 1);
      await pause(next - now());
      waiting.push(await waitingNow(maker, worker));
    }
    return waiting;
  });
}

async function waitingNow(maker: ToolProcess, worker: ToolProcess): Promise<number> {
  const [made, done] = (await askAll([maker, worker], { kind: 'look' })) as [
    ToolReport,
    ToolReport,
  ];
  // A task may begin before its maker has counted the task.
  return Math.max(0, made.added - done.begun);
}
