import { Worker } from 'node:worker_threads';

/** The settings of a process that leads a process group, and that tells its parent why it ends. */
interface Guarded {
  mostMemoryBytes: number;
  /** The file descriptor to which the watchdog writes why it ends the process. */
  fd: number;
  /** The words about code that never gives the processor back. */
  endless: string;
  /** The words about code that uses too much memory. */
  memory: string;
}

/**
 * Ends this process if code never gives the processor back, or if the parent of the process has
 * gone. Code that never gives the processor back stops this thread, so another thread watches the
 * processor time. The other thread does not watch a clock. On a busy machine, a clock would end
 * code that only had to wait. Call the returned function before each step. No step may use the
 * processor for longer than `mostProcessorMs`. A guarded process also ends if it uses too much
 * memory, and its group ends with it.
 */
export function watchOver(mostProcessorMs: number, guarded?: Guarded): () => void {
  const steps = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { steps, mostProcessorMs, parent: process.ppid, guarded };
  new Worker(WATCHDOG, { eval: true, workerData, execArgv: [] }).unref();
  return () => void Atomics.add(steps, 0, 1);
}

/**
 * While the memory grows by so much between two checks, the processor time does not count. Code that
 * takes more and more memory then ends at the limit of the memory, also on a machine that is slow
 * to give memory. The memory grows so often only a hundred times before this limit.
 */
const GROWTH_BYTES = 10_000_000;

// The main thread may have written half a line, so the words begin on a new line.
const WATCHDOG = `
  const { writeSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  const { steps, mostProcessorMs, parent, guarded } = workerData;
  const used = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b) / 1000;
  let last = { steps: 0, used: used() };
  let before = last.used;
  let peak = 0;
  function end(words) {
    try {
      if (words) writeSync(guarded.fd, '\\n' + words);
    } finally {
      process.kill(guarded ? -process.pid : process.pid, 'SIGKILL');
    }
  }
  setInterval(() => {
    const now = Atomics.load(steps, 0);
    const memory = process.memoryUsage.rss();
    const isGrowing = guarded && memory > peak + ${GROWTH_BYTES};
    if (isGrowing) [peak, last.used] = [memory, last.used + used() - before];
    before = used();
    if (now !== last.steps) last = { steps: now, used: before };
    if (process.ppid !== parent) end();
    if (guarded && memory > guarded.mostMemoryBytes) end(guarded.memory);
    if (before - last.used > mostProcessorMs) end(guarded?.endless);
  }, 100);`;
