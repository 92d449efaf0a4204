/** Judges one strategy, in a process that ends if the strategy never does. */

import { Worker } from 'node:worker_threads';
import { Divergence } from '../src/lab/explore/forks.ts';
import { Stage } from '../src/lab/explore/stage.ts';
import { Hang } from '../src/lab/explore/stillness.ts';
import { judge } from '../src/lab/judge/judge.ts';
import { loadStrategy } from '../src/lab/judge/load-strategy.ts';
import { describe, PlainError } from '../src/process/errors.ts';
import { chooseChapter } from './chosen.ts';
import type { Task, WorkerReport } from './judge.ts';

/** No step uses the processor for as long as this, and neither does loading a strategy. */
const MOST_PROCESSOR_MS = 10_000;

/** How many steps were reported. */
const reported = new Int32Array(new SharedArrayBuffer(4));

/**
 * A strategy that never gives the processor back stops this thread, so another thread watches. It looks at
 * the time on the processor. On a busy machine, a clock would end a strategy that only had to wait.
 */
const WATCHDOG = `
  const { workerData } = require('node:worker_threads');
  const used = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b) / 1000;
  let last = { reported: 0, used: used() };
  setInterval(() => {
    const reported = Atomics.load(workerData, 0);
    if (reported !== last.reported) last = { reported, used: used() };
    if (used() - last.used > ${MOST_PROCESSOR_MS}) process.kill(process.pid, 'SIGKILL');
  }, 500);`;
new Worker(WATCHDOG, { eval: true, workerData: reported, execArgv: [] }).unref();

process.once('message', (task: Task) => {
  work(task)
    .then((judgement) => report({ kind: 'judgement', judgement }))
    .catch((error: unknown) => report({ kind: 'unusable', message: explain(task.file, error) }));
});
process.once('disconnect', () => process.exit());
// The strategy ignores a promise, and this promise has failed.
process.on('unhandledRejection', () => {
  const check = 'no error goes unhandled';
  const detail = 'a promise failed that nobody had awaited';
  const fallen = { check, detail, fault: 'error', holds: false, counterexample: null };
  report({ kind: 'judgement', judgement: { strategy: 'it', verdict: 'falls', checks: [fallen] } });
});

async function work({ chapter, file, url }: Task) {
  const judged = await loadStrategy(chooseChapter(chapter), file);
  const stage = new Stage(url);
  return judge(stage, judged, (where) => {
    Atomics.add(reported, 0, 1);
    process.send?.({ kind: 'step', where });
  });
}

function explain(file: string, error: unknown): string {
  if (error instanceof PlainError) return error.message;
  if (error instanceof Hang) return `${file} hangs: ${error.message}.`;
  if (error instanceof Divergence)
    return (
      `${file} runs differently when it is played again, so it cannot be judged. If it keeps ` +
      `something in memory, it needs restart(), see docs/explorer.md. ${error.message}`
    );
  return `${file} cannot be judged: ${describe(error)}`;
}

/** The process ends once this message is delivered, even if the strategy still runs. */
function report(message: WorkerReport) {
  process.send?.(message, undefined, undefined, () => process.exit());
}
