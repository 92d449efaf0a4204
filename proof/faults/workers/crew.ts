import { randomBytes } from 'node:crypto';
import { pause } from '../../../src/platform/waiting/backoff.ts';
import { until } from '../../../src/platform/waiting/until.ts';
import { nameOf, send } from '../ask.ts';
import type { Dice } from '../dice.ts';
import type { Ledger } from '../ledger.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** The pause after a failed start of a worker. Each start fails while PostgreSQL is down. */
const RESTART_MS = 300;
const MOST_FAILED_STARTS = 100;
const LOOK_MS = 10;
const READYZ = { path: '/readyz', method: 'GET' };
const READY_WITHIN_MS = 15_000;

/**
 * Keeps a number of workers running. A new worker replaces each worker that has ended, as under a
 * supervisor. A new worker never has the name of an earlier worker.
 */
export class Crew {
  /** Rejects if a worker cannot be started. */
  readonly failed: Promise<void>;
  readonly #databaseUrl: string;
  readonly #ledger: Ledger;
  readonly #prefix = `worker_${randomBytes(3).toString('hex')}`;
  readonly #free = new Set<WorkerProcess>();
  readonly #killed = new Set<WorkerProcess>();
  readonly #over = new AbortController();
  #started = 0;

  constructor(size: number, databaseUrl: string, ledger: Ledger) {
    this.#databaseUrl = databaseUrl;
    this.#ledger = ledger;
    const places = Array.from({ length: size }, () => this.#fillPlace());
    this.failed = Promise.all(places).then(() => undefined);
    this.failed.catch(() => undefined);
  }

  /** The accounts of all workers begin with this text. */
  get accounts(): string {
    return this.#prefix;
  }

  /** Lends a random worker to a fault. No other fault gets the worker until `work` has ended. */
  async lend(dice: Dice, stop: AbortSignal, work: (worker: WorkerProcess) => Promise<void>) {
    await until(() => this.#free.size > 0, { everyMs: LOOK_MS, stop });
    const worker = dice.any([...this.#free]) as WorkerProcess;
    this.#free.delete(worker);
    try {
      await work(worker);
    } finally {
      if (worker.isRunning()) this.#free.add(worker);
    }
  }

  /** Checks that every worker is ready, even if the worker was frozen before. */
  async judgeReady(stop: AbortSignal) {
    for (const { name, url } of this.#free) {
      const isReady = async () => nameOf(await send(url, READYZ)) === '200';
      if (!(await until(isReady, { everyMs: LOOK_MS, withinMs: READY_WITHIN_MS, stop })))
        this.#ledger.add({ promise: 'the worker lives', what: `${name} is not ready` });
    }
  }

  async kill(worker: WorkerProcess) {
    this.#killed.add(worker);
    await worker.kill();
  }

  /** Kills all workers. Resolves when their processes are gone. */
  async stop() {
    this.#over.abort();
    await Promise.allSettled([this.failed]);
  }

  /** Starts a worker, and starts the next worker whenever the current worker has ended. */
  async #fillPlace() {
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; ) {
      const worker = await this.#start();
      if (worker) {
        failures = 0;
        await this.#employ(worker);
      } else {
        if (++failures > MOST_FAILED_STARTS) throw new Error('the workers do not start');
        await pause(RESTART_MS, signal);
      }
    }
  }

  #start() {
    const name = `${this.#prefix}_${++this.#started}`;
    return startWorkerProcess(this.#databaseUrl, name).catch(() => undefined);
  }

  /**
   * Offers a worker to the faults until its process is gone. An end that no fault caused is a
   * finding.
   */
  async #employ(worker: WorkerProcess) {
    const { signal } = this.#over;
    const end = () => void this.kill(worker);
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    this.#free.add(worker);
    await worker.gone;
    signal.removeEventListener('abort', end);
    this.#free.delete(worker);
    if (!this.#killed.has(worker))
      this.#ledger.add({
        promise: 'the worker lives',
        what: `${worker.name} has ended: ${worker.complaints.at(-1)?.slice(0, 300) ?? 'no reason'}`,
      });
  }
}
