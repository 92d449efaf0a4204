import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../../../platform/db/client.ts';
import { retryAtStart } from '../../../platform/db/retry.ts';
import type { Log } from '../../../platform/process/log.ts';
import { pause, pauseAfter } from '../../../platform/waiting/backoff.ts';
import { Bell } from '../../../platform/waiting/bell.ts';
import { inTime } from '../../../platform/waiting/deadline.ts';
import { restAfter } from '../../../platform/waiting/rest.ts';
import { claimTasks } from '../claim.ts';
import { giveBack } from '../finish.ts';
import type { TaskKind } from '../kind.ts';
import { BUSY_FOR_MS, LARGEST_CLAIM, OUTAGE_BACKOFF, POLL_BUSY_MS } from '../limits.ts';
import { noteStopped, register } from '../registration.ts';
import { HeldTask, holdOf, LeaseLost } from './attempt.ts';
import { Heartbeats } from './heartbeats.ts';
import { Holding } from './holding.ts';
import { Outage } from './outage.ts';
import { OutcomeWriter, type Written } from './outcomes.ts';

/** An event that a worker reports to its observer, for metrics. */
export type WorkerEvent =
  | { kind: 'claimed'; tasks: number; wanted: number; seconds: number }
  /**
   * `waitedSeconds` is how long the task was due before the claim. `waitedSeconds` is undefined if
   * the previous attempt was lost.
   */
  | { kind: 'began'; task: string; waitedSeconds: number | undefined }
  | { kind: 'ended'; task: string; how: Written | 'given back'; seconds: number };

export interface WorkerOptions {
  db: Database;
  /** An idle worker waits for this poller. `hasTask` is true if any task is unfinished. */
  poller: { next(): Promise<{ hasTask: boolean }> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
  kinds: readonly TaskKind<any>[];
  /**
   * The number of worker slots. This is the maximum number of tasks that run at the same time. Slow
   * attempts do not count.
   */
  places: number;
  /**
   * The maximum number of tasks of one lane that run at the same time. The default is a quarter of
   * the slots.
   */
  perLane?: number;
  /** The name for people. The default is a unique name. */
  name?: string | undefined;
  version: string;
  log: Log;
  /**
   * True if the process also answers requests. Then the worker always rests for the full time
   * between two claims. Otherwise a rest ends early when no task runs.
   */
  requestsFirst?: boolean | undefined;
  /** Ends a start that waits for the database. The signal does not end a running worker. */
  stop?: AbortSignal | undefined;
  observe?: ((event: WorkerEvent) => void) | undefined;
}

export interface Worker {
  readonly id: bigint;
  readonly name: string;
  /**
   * Claims due tasks without waiting for the next poll. Call this after the commit of a transaction
   * that added tasks.
   */
  wake(): void;
  /**
   * Claims no more tasks, and waits up to `graceMs` for the running attempts. Then aborts the
   * remaining attempts and gives their tasks back. Returns the number of these tasks.
   */
  stop(graceMs: number): Promise<number>;
  /** False if no heartbeat has succeeded for as long as a lease lasts. */
  isAbleToRenew(): boolean;
  load(): { running: number; places: number };
  /**
   * Rejects with a `PlainError` in two cases. Another worker took the name while this worker was
   * frozen. Or a failover or a restore has lost the row of this worker.
   */
  readonly leaving: Promise<never>;
}

/** Starts a worker. Throws a `PlainError` if a living worker has the name. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const kinds = options.kinds.map((kind) => kind.name);
  const begin = async () => {
    const registeredAt = performance.now();
    const id = await register(options.db, { ...options, kinds, name });
    return { ...options, id, name, registeredAt };
  };
  return new RunningWorker(await retryAtStart(begin, { stop: options.stop }));
}

interface Registered extends WorkerOptions {
  id: bigint;
  name: string;
  registeredAt: number;
}

class RunningWorker implements Worker {
  readonly id: bigint;
  readonly name: string;
  readonly #options: Registered;
  readonly #kinds: ReadonlyMap<string, TaskKind>;
  readonly #perLane: number;
  readonly #holding: Holding;
  readonly #outcomes: OutcomeWriter;
  readonly #outage: Outage;
  readonly #bell = new Bell();
  /** A bell that rings when no attempt runs, and when the worker stops. The ring ends a rest. */
  readonly #idle = new Bell();
  readonly #stopClaims = new AbortController();
  readonly #heartbeats: Heartbeats;
  readonly #claims: Promise<void>;
  /** Whether somebody has called `wake` since the last claim began. */
  #isWoken = false;
  /** True if the last claim found as many tasks as it wanted. Then more tasks are probably due. */
  #isMoreDue = false;

  constructor(options: Registered) {
    const { id, name, db, kinds, places } = options;
    this.id = id;
    this.name = name;
    this.#options = options;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#perLane = options.perLane ?? Math.max(1, Math.floor(places / 4));
    this.#holding = new Holding({ places, perLane: this.#perLane });
    this.#outage = new Outage(options.log, name);
    this.#outcomes = new OutcomeWriter({
      db,
      onWritten: ({ held }, how) => this.#forget(held, how),
      onOutage: this.#outage.note,
      onRefused: ({ held }, error) => this.#outage.noteRefusal(held.task.kind, error),
    });
    this.#heartbeats = new Heartbeats({
      ...options,
      holding: this.#holding,
      outage: this.#outage,
      onLost: (held) => this.#drop(held, 'lost', new LeaseLost()),
    });
    this.#claims = this.#claimInTurn();
  }

  get leaving(): Promise<never> {
    return this.#heartbeats.leaving;
  }

  wake() {
    this.#isWoken = true;
    this.#bell.ring();
  }

  isAbleToRenew(): boolean {
    return this.#heartbeats.isAbleToRenew();
  }

  load() {
    return { running: this.#holding.running, places: this.#options.places };
  }

  async stop(graceMs: number): Promise<number> {
    this.#stopClaims.abort();
    this.wake();
    this.#idle.ring();
    await inTime(this.#untilIdle(), graceMs, () => undefined);
    const left = this.#holding.all;
    for (const held of left) this.#drop(held, 'given back', new Error('the worker stops'));
    await this.#heartbeats.stop();
    try {
      await giveBack(this.#options.db, left.map(holdOf));
      await noteStopped(this.#options.db, this.id);
    } catch (error) {
      // Nothing is lost. Another worker can claim the tasks when their leases end.
      this.#outage.note(error);
    }
    return left.length;
  }

  async #untilIdle() {
    await this.#claims;
    while (this.#holding.running > 0) await this.#bell.rings(POLL_BUSY_MS);
    await this.#outcomes.isIdle();
  }

  /** Claims tasks again and again, until the worker stops. */
  async #claimInTurn() {
    const stop = this.#stopClaims.signal;
    const last = { lane: '', foundAt: Number.NEGATIVE_INFINITY, tookMs: 0, failures: 0 };
    const isBusy = () => performance.now() - last.foundAt < BUSY_FOR_MS;
    while (!stop.aborted) {
      this.#isWoken = false;
      const began = performance.now();
      try {
        const claimed = await this.#claim(last.lane);
        last.tookMs = performance.now() - began;
        last.failures = 0;
        if (claimed.length > 0) last.foundAt = performance.now();
        last.lane = claimed.at(-1)?.task.lane ?? last.lane;
        if (!(this.#isMoreDue && this.#holding.free > 0)) await this.#untilTaskIsLikely(isBusy());
      } catch (error) {
        this.#outage.note(error);
        await pause(pauseAfter(last.failures++, OUTAGE_BACKOFF), stop);
        continue;
      }
      // The next claim waits for the end of this turn of the event loop. So one claim fills the
      // slots of all attempts that end in the same turn.
      await new Promise(setImmediate);
      // One claim also fills the slots of all attempts that end during a rest.
      if (this.#isMoreDue) await this.#rest(last);
    }
  }

  /** Waits until somebody wakes the worker, or until it is time to try a claim. */
  async #untilTaskIsLikely(isBusy: boolean) {
    if (this.#isWoken) return;
    if (isBusy) await this.#bell.rings(POLL_BUSY_MS);
    else await this.#bell.ringsOr(this.#isTaskLikely);
  }

  /** During an outage, and if the question fails, only a claim shows whether this worker can claim. */
  #isTaskLikely = async (): Promise<boolean> => {
    const polled = await this.#options.poller.next().catch(() => undefined);
    return (polled?.hasTask ?? true) || this.#outage.isOn;
  };

  async #rest({ tookMs, foundAt }: { tookMs: number; foundAt: number }) {
    const restMs = restAfter(tookMs);
    if (this.#options.requestsFirst)
      await pause(foundAt + restMs - performance.now(), this.#stopClaims.signal);
    else if (this.#holding.running > 0) await this.#idle.rings(restMs);
  }

  /** Claims as many tasks as there are free worker slots, and begins their attempts. */
  async #claim(afterLane: string): Promise<HeldTask[]> {
    const count = Math.min(LARGEST_CLAIM, this.#holding.free);
    if (count <= 0) return [];
    const askedAt = performance.now();
    const tasks = await claimTasks(this.#options.db, {
      workerId: this.id,
      kinds: [...this.#kinds.keys()],
      count,
      perLane: this.#perLane,
      running: this.#holding.runningInLane,
      afterLane,
    });
    this.#outage.over();
    this.#isMoreDue = tasks.length === count;
    const seconds = (performance.now() - askedAt) / 1_000;
    this.#observe({ kind: 'claimed', tasks: tasks.length, wanted: count, seconds });
    const claimed = tasks.map((task) => new HeldTask(task, askedAt));
    if (this.#stopClaims.signal.aborted) await giveBack(this.#options.db, claimed.map(holdOf));
    // If the event loop was blocked during the claim, the leases may have ended already.
    else for (const held of claimed) if (held.isHeld) void this.#run(held);
    return claimed;
  }

  async #run(held: HeldTask) {
    const { kind: name, waitedSeconds } = held.task;
    const kind = this.#kinds.get(name) as TaskKind;
    this.#observe({ kind: 'began', task: name, waitedSeconds });
    // This worker may still hold an earlier attempt of the task. If the earlier attempt still runs,
    // it has lost its task. The clock of the database has jumped forward, so the lease has ended by
    // that clock but not by ours. If the earlier attempt has ended, its outcome may be committed
    // already, and only the answer to COMMIT has not arrived. Then nothing is lost.
    const former = this.#holding.latestOf(held.taskId);
    if (former && this.#holding.isRunning(former)) this.#drop(former, 'lost', new LeaseLost());
    this.#holding.add(held);
    const outcome = await held.run(kind);
    const wasLaneFull = this.#holding.leavePlace(held);
    if (this.#holding.running === 0) this.#idle.ring();
    if (this.#isMoreDue || wasLaneFull || this.#stopClaims.signal.aborted) this.wake();
    if (outcome) this.#outcomes.write({ held, kind, outcome });
  }

  #drop(held: HeldTask, how: 'lost' | 'given back', reason: Error) {
    held.leave(reason);
    this.#forget(held, how);
  }

  #forget(held: HeldTask, how: Written | 'given back') {
    if (!this.#holding.remove(held)) return;
    const seconds = (performance.now() - held.beganAt) / 1_000;
    this.#observe({ kind: 'ended', task: held.task.kind, how, seconds });
    if (this.#isMoreDue) this.wake();
  }

  #observe(event: WorkerEvent) {
    this.#options.observe?.(event);
  }
}
