import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../../../src/platform/process/process-memory.ts';
import type { FaultCounts, Scenario, Stage } from '../scenario.ts';
import { crowd } from '../soak/crowd.ts';
import { growthOf, judgeGrowth, type Sample } from '../soak/memory.ts';

const LOOK_MS = 20;

/** Sends requests of all kinds to one server for a long time, and watches its memory. */
export const soak: Scenario = {
  name: 'soak',
  idea: 'very many mixed requests, bad ones among them, and streams that come and go',
  servers: 1,
  readsMemory: true,
  isSeeded: true,
  async faults(stage) {
    const done = new AbortController();
    const asking = crowd(stage, done.signal);
    // An error of `asking` is thrown at its `await` below. Without this handler, Node could end the
    // process before that.
    asking.catch(() => undefined);
    try {
      return await watchMemory(stage);
    } finally {
      done.abort();
      await asking;
      for (const line of stage.servers.flatMap(({ complaints }) => complaints))
        stage.ledger.add({
          promise: 'the server answers',
          what: `the log says ${line.slice(0, 500)}`,
        });
    }
  },
};

async function watchMemory(stage: Stage): Promise<FaultCounts> {
  const { servers, load, settings, stop, progress, ledger } = stage;
  const wanted = settings.requests;
  const samples: Sample[] = [];
  for (;;) {
    const { requests } = load.counts;
    const mb = memoryOf(servers[0]?.pid ?? 0, 'VmRSS');
    samples.push({ requests, mb });
    progress(`${requests} of ${wanted} requests, ${Math.round(mb)} MB`);
    if (requests >= wanted) break;
    stop.throwIfAborted();
    await sleep(LOOK_MS);
  }
  const memory = growthOf(samples, wanted);
  for (const finding of judgeGrowth(memory, wanted)) ledger.add(finding);
  return { memory };
}
