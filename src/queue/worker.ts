import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../db/client.ts';
import { describe, PlainError } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import { type Backoff, pause, pauseAfter } from '../waiting/backoff.ts';
import { Bell } from '../waiting/bell.ts';
import { inTime } from '../waiting/deadline.ts';
import { HeldTask, LeaseLost } from './attempt.ts';
import { claimTasks } from './claim.ts';
import { giveBack } from './finish.ts';
import { renewLeases } from './heartbeat.ts';
import type { Kind } from './kind.ts';
import {
  BUSY_FOR_MS,
  HEARTBEAT_MS,
  LARGEST_CLAIM,
  LEASE_MS,
  POLL_BUSY_MS,
  POLL_IDLE_MS,
} from './limits.ts';
import { type Ended, OutcomeWriter, type Written } from './outcomes.ts';
import { noteHeartbeat, noteStopped, register, stopDeadWorkers } from './registration.ts';

/** What a worker tells its observer, for metrics. */
export type WorkerEvent =
  | { kind: 'claimed'; tasks: number; wanted: number; seconds: number }
  /** `waitedSeconds`: from the time the task was due to its claim. */
  | { kind: 'began'; task: string; waitedSeconds: number | undefined }
  | { kind: 'ended'; task: string; how: Written | 'given back'; seconds: number };

export interface WorkerOptions {
  db: Database;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
  kinds: readonly Kind<any>[];
  /** How many tasks the worker runs at the same time. */
  places: number;
  /** How many tasks of one lane the worker runs at the same time. By default a quarter of the places. */
  perLane?: number;
  /** The name for people. By default a name that nobody else has. */
  name?: string | undefined;
  version: string;
  log: Log;
  observe?: (event: WorkerEvent) => void;
}

export interface Worker {
  readonly id: bigint;
  readonly name: string;
  /** Looks for tasks at once. Call this after the commit of a transaction that added tasks. */
  wake(): void;
  /**
   * Claims no more tasks. Gives running attempts `graceMs` to end. Then aborts them and gives their
   * tasks back.
   */
  stop(graceMs: number): Promise<void>;
  /** False if the worker has not renewed its leases for as long as a lease lasts. */
  isAbleToRenew(): boolean;
  load(): { running: number; places: number };
  /** Rejects with a `PlainError` if another worker took the name while this worker was frozen. */
  leaving: Promise<never>;
}

const BACKOFF: Backoff = { shortestMs: 100, longestMs: 2_000, jitter: 0.5 };

/**
 * Starts a worker. Throws a `PlainError` if a living worker has the name.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const askedAt = performance.now();
  const id = await register(options.db, { ...options, name });
  const worker = new QueueWorker(id, name, options, askedAt);
  worker.start();
  return worker;
}

class QueueWorker implements Worker {
  readonly id: bigint;
  readonly name: string;
  readonly leaving: Promise<never>;
  readonly #db: Database;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #places: number;
  readonly #perLane: number;
  readonly #log: Log;
  readonly #observe: (event: WorkerEvent) => void;
  readonly #outcomes: OutcomeWriter;
  /** Every attempt until its outcome is written. */
  readonly #held = new Map<bigint, HeldTask>();
  /** The attempts whose `run` has not ended. Each has a place. */
  readonly #running = new Set<HeldTask>();
  readonly #runningInLane = new Map<string, number>();
  readonly #bell = new Bell();
  readonly #stopClaiming = new AbortController();
  readonly #stopBeating = new AbortController();
  #claiming: Promise<void> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #isWoken = false;
  /** Whether the last claim found as many tasks as it wanted. More tasks are probably due. */
  #isMoreDue = false;
  #renewedAt: number;
  #leave: (error: Error) => void = () => undefined;
  #isFailing = false;

  constructor(id: bigint, name: string, options: WorkerOptions, askedAt: number) {
    this.id = id;
    this.name = name;
    this.leaving = new Promise<never>((_, reject) => {
      this.#leave = reject;
    });
    this.leaving.catch(() => undefined);
    this.#db = options.db;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
    this.#places = options.places;
    this.#perLane = options.perLane ?? Math.max(1, Math.floor(options.places / 4));
    this.#log = options.log;
    this.#observe = options.observe ?? (() => undefined);
    this.#outcomes = new OutcomeWriter({
      db: options.db,
      onWritten: (ended, how) => this.#written(ended, how),
      onError: (error) => this.#noteOutage(error),
    });
    this.#renewedAt = askedAt;
  }

  start() {
    this.#claiming = this.#claimAgainAndAgain();
    this.#beating = this.#beat();
  }

  wake() {
    this.#isWoken = true;
    this.#bell.ring();
  }

  isAbleToRenew(): boolean {
    return performance.now() - this.#renewedAt < LEASE_MS;
  }

  load() {
    return { running: this.#running.size, places: this.#places };
  }

  async stop(graceMs: number) {
    this.#stopClaiming.abort();
    this.wake();
    const ended = async () => {
      await this.#claiming;
      while (this.#running.size > 0) await this.#bell.rings(POLL_IDLE_MS);
      await this.#outcomes.isIdle();
    };
    await inTime(ended(), graceMs, () => undefined);
    const left = [...this.#held.values()];
    for (const held of left) this.#drop(held, 'given back', new Error('the worker stops'));
    this.#stopBeating.abort();
    await this.#beating;
    try {
      await giveBack(
        this.#db,
        left.map(({ hold }) => hold),
      );
      await noteStopped(this.#db, this.id);
    } catch (error) {
      this.#noteOutage(error);
    }
  }

  async #claimAgainAndAgain() {
    const stop = this.#stopClaiming.signal;
    let afterLane = '';
    let foundAt = Number.NEGATIVE_INFINITY;
    for (let failures = 0; !stop.aborted; ) {
      this.#isWoken = false;
      const count = this.#freePlaces();
      if (count > 0) {
        try {
          const lane = await this.#claim(count, afterLane);
          failures = 0;
          if (lane !== undefined) {
            afterLane = lane;
            foundAt = performance.now();
          }
        } catch (error) {
          this.#noteOutage(error);
          await pause(pauseAfter(failures++, BACKOFF), stop);
          continue;
        }
      }
      if (!this.#isWoken && !(this.#isMoreDue && this.#freePlaces() > 0)) {
        const isBusy = performance.now() - foundAt < BUSY_FOR_MS;
        await this.#bell.rings(isBusy ? POLL_BUSY_MS : POLL_IDLE_MS);
      }
      // Attempts that end in the same turn of the event loop free their places together.
      await new Promise(setImmediate);
    }
  }

  /** Outcomes that are not written yet keep their tasks in memory, so their number has a bound. */
  #freePlaces(): number {
    const { size: held } = this.#held;
    return Math.min(LARGEST_CLAIM, this.#places - this.#running.size, 2 * this.#places - held);
  }

  /** Claims tasks and begins their attempts. Returns the lane of the last task. */
  async #claim(count: number, afterLane: string): Promise<string | undefined> {
    const askedAt = performance.now();
    const claimed = await claimTasks(this.#db, {
      workerId: this.id,
      kinds: [...this.#kinds.keys()],
      count,
      perLane: this.#perLane,
      running: this.#runningInLane,
      afterLane,
    });
    this.#noteRecovery();
    const seconds = (performance.now() - askedAt) / 1_000;
    this.#observe({ kind: 'claimed', tasks: claimed.length, wanted: count, seconds });
    this.#isMoreDue = claimed.length === count;
    for (const task of claimed) {
      const held = new HeldTask(task, askedAt);
      this.#observe({ kind: 'began', task: task.kind, waitedSeconds: task.waitedSeconds });
      void this.#run(held);
    }
    return claimed.at(-1)?.lane;
  }

  async #run(held: HeldTask) {
    const kind = this.#kinds.get(held.task.kind) as Kind;
    const { lane } = held.task;
    this.#held.set(held.taskId, held);
    this.#running.add(held);
    this.#runningInLane.set(lane, (this.#runningInLane.get(lane) ?? 0) + 1);
    const outcome = await held.run(kind);
    this.#leavePlace(held);
    if (outcome) this.#outcomes.write({ held, kind, outcome });
  }

  #leavePlace(held: HeldTask) {
    const { lane } = held.task;
    const inLane = this.#runningInLane.get(lane) ?? 1;
    this.#running.delete(held);
    if (inLane > 1) this.#runningInLane.set(lane, inLane - 1);
    else this.#runningInLane.delete(lane);
    if (this.#isMoreDue || inLane >= this.#perLane || this.#stopClaiming.signal.aborted)
      this.wake();
  }

  #written({ held }: Ended, how: Written) {
    if (how === 'lost') this.#drop(held, 'lost', new LeaseLost());
    else this.#forget(held, how);
  }

  /** The attempt has lost its task, or gives it back. */
  #drop(held: HeldTask, how: 'lost' | 'given back', reason: Error) {
    held.leave(reason);
    this.#forget(held, how);
  }

  #forget(held: HeldTask, how: Written | 'given back') {
    if (this.#held.get(held.taskId) !== held) return;
    this.#held.delete(held.taskId);
    const seconds = (performance.now() - held.beganAt) / 1_000;
    this.#observe({ kind: 'ended', task: held.task.kind, how, seconds });
    if (this.#isMoreDue) this.wake();
  }

  async #beat() {
    const stop = this.#stopBeating.signal;
    for (let failures = 0; !stop.aborted; ) {
      await pause(failures > 0 ? pauseAfter(failures, BACKOFF) : HEARTBEAT_MS, stop);
      if (stop.aborted) return;
      try {
        await this.#renew();
        failures = 0;
      } catch (error) {
        failures++;
        this.#noteOutage(error);
      }
    }
  }

  async #renew() {
    for (const held of this.#held.values())
      if (!held.isHeld) this.#drop(held, 'lost', new LeaseLost());
    const askedAt = performance.now();
    const holds = [...this.#held.values()];
    if (holds.length > 0) {
      const { renewed, lost } = await renewLeases(
        this.#db,
        holds.map(({ hold }) => hold),
      );
      for (const held of holds) {
        if (renewed.has(held.taskId)) held.renewed(askedAt);
        else if (lost.has(held.taskId) && this.#running.has(held))
          this.#drop(held, 'lost', new LeaseLost());
      }
    }
    const isOurs = await noteHeartbeat(this.#db, this.id, [...this.#held.keys()]);
    this.#renewedAt = askedAt;
    this.#noteRecovery();
    await stopDeadWorkers(this.#db);
    if (!isOurs) this.#leave(new PlainError(`Another worker has the name "${this.name}" now.`));
  }

  /** One line in the log for each outage. */
  #noteOutage(error: unknown) {
    if (!this.#isFailing)
      this.#log.error({
        event: 'the worker cannot use the database',
        worker: this.name,
        error: describe(error),
      });
    this.#isFailing = true;
  }

  #noteRecovery() {
    this.#isFailing = false;
  }
}
