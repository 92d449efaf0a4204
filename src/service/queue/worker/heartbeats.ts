import type { Database } from '../../../platform/db/client.ts';
import { PlainError } from '../../../platform/process/errors.ts';
import { pause, pauseAfter } from '../../../platform/waiting/backoff.ts';
import { HEARTBEAT_MS, LEASE_MS, OUTAGE_BACKOFF } from '../limits.ts';
import { noteHeartbeat, stopDeadWorkers } from '../registration.ts';
import { renewLeases } from '../renew.ts';
import { type HeldTask, holdOf } from './attempt.ts';
import type { Holding } from './holding.ts';
import type { Outage } from './outage.ts';

/** How often a worker checks for leases that have ended by its own clock. */
const WATCH_MS = 1_000;

export interface HeartbeatsOptions {
  db: Database;
  id: bigint;
  name: string;
  /** The time just before the worker was registered, by the clock of this process. */
  registeredAt: number;
  holding: Holding;
  outage: Outage;
  /**
   * Called if a running attempt has lost its task. For an attempt that has ended, the writer of
   * outcomes finds out whether the task was lost.
   */
  onLost(held: HeldTask): void;
}

/** Renews the leases of a worker and of its tasks, until `stop` is called. */
export class Heartbeats {
  /** Rejects if another worker has the name, or if the database has no row of this worker. */
  readonly leaving: Promise<never>;
  readonly #options: HeartbeatsOptions;
  readonly #stop = new AbortController();
  readonly #beating: Promise<void>;
  readonly #watch: NodeJS.Timeout;
  #renewedAt: number;
  #leave: (error: Error) => void = () => undefined;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
    this.#renewedAt = options.registeredAt;
    this.leaving = new Promise<never>((_, reject) => {
      this.#leave = reject;
    });
    // If nobody awaits `leaving`, its error must not end the process.
    this.leaving.catch(() => undefined);
    this.#watch = setInterval(() => this.#dropEnded(), WATCH_MS);
    this.#beating = this.#beat();
  }

  /** False if no heartbeat has succeeded for as long as a lease lasts. */
  isAbleToRenew = (): boolean => performance.now() - this.#renewedAt < LEASE_MS;

  async stop() {
    clearInterval(this.#watch);
    this.#stop.abort();
    await this.#beating;
  }

  async #beat() {
    const { signal } = this.#stop;
    for (let failures = 0; ; ) {
      await pause(failures === 0 ? HEARTBEAT_MS : pauseAfter(failures, OUTAGE_BACKOFF), signal);
      if (signal.aborted) return;
      try {
        await this.#renew();
        failures = 0;
      } catch (error) {
        failures++;
        this.#options.outage.note(error);
      }
    }
  }

  async #renew() {
    const { db, id, name, holding, outage, onLost } = this.#options;
    this.#dropEnded();
    const askedAt = performance.now();
    const latest = holding.latest;
    const { renewed, lost } = await renewLeases(db, latest.map(holdOf));
    for (const held of latest) {
      if (renewed.has(held.taskId)) held.renewed(askedAt);
      else if (lost.has(held.taskId) && holding.isRunning(held)) onLost(held);
    }
    const taskIds = latest.map(({ taskId }) => taskId);
    const { hasName, seesDead } = await noteHeartbeat(db, id, taskIds);
    if (!hasName)
      this.#leave(
        new PlainError(
          `Another worker has the name "${name}" now, or the database has lost this worker.`,
        ),
      );
    this.#renewedAt = askedAt;
    outage.over();
    if (seesDead) await stopDeadWorkers(db);
  }

  /** Drops the attempts whose leases have ended by the clock of this process. */
  #dropEnded() {
    const { holding, onLost } = this.#options;
    for (const held of holding.latest) if (!held.isHeld && holding.isRunning(held)) onLost(held);
  }
}
