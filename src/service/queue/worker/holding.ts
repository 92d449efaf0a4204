import { SLOW_MS, SLOW_PER_PLACE } from '../limits.ts';
import type { HeldTask } from './attempt.ts';

export interface PlaceLimits {
  /**
   * The number of worker slots. This is the maximum number of tasks that run at the same time. Slow
   * attempts do not count.
   */
  places: number;
  /** The maximum number of tasks of one lane that run at the same time. */
  perLane: number;
}

/** The tasks of one worker, in memory. */
export class Holding {
  readonly #limits: PlaceLimits;
  /** The attempts whose outcomes are not written yet, as far as this process knows. */
  readonly #held = new Set<HeldTask>();
  /**
   * The latest attempt of each task. The answer to the COMMIT of a failed attempt may come late.
   * Before the answer comes, this worker may claim the same task again. Then this worker holds two
   * attempts of the task.
   */
  readonly #latest = new Map<bigint, HeldTask>();
  /** The attempts whose `run` has not ended. */
  readonly #running = new Set<HeldTask>();
  readonly #runningInLane = new Map<string, number>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get all(): HeldTask[] {
    return [...this.#held];
  }

  /** The attempts whose leases the worker renews. */
  get latest(): HeldTask[] {
    return [...this.#latest.values()];
  }

  get running(): number {
    return this.#running.size;
  }

  get runningInLane(): ReadonlyMap<string, number> {
    return this.#runningInLane;
  }

  /**
   * The number of tasks that may be claimed now. An attempt frees its slot before its outcome is
   * written, so the worker can claim tasks while it writes outcomes. The second limit counts also
   * the attempts whose outcomes are not written yet. Without the second limit, a worker that cannot
   * write outcomes would claim more and more tasks.
   */
  get free(): number {
    const { places } = this.#limits;
    const slow = this.#slow;
    return Math.min(places + slow - this.#running.size, 2 * places + slow - this.#held.size);
  }

  /** The number of running attempts that are slow and need no worker slot. */
  get #slow(): number {
    const since = performance.now() - SLOW_MS;
    const slow = [...this.#running].filter(({ beganAt }) => beganAt < since);
    return Math.min(slow.length, SLOW_PER_PLACE * this.#limits.places);
  }

  isRunning = (held: HeldTask): boolean => this.#running.has(held);

  latestOf = (taskId: bigint): HeldTask | undefined => this.#latest.get(taskId);

  add(held: HeldTask) {
    const { lane } = held.task;
    this.#held.add(held);
    this.#latest.set(held.taskId, held);
    this.#running.add(held);
    this.#runningInLane.set(lane, (this.#runningInLane.get(lane) ?? 0) + 1);
  }

  /** Frees the worker slot of an attempt. Returns true if the lane of the attempt was full. */
  leavePlace(held: HeldTask): boolean {
    const { lane } = held.task;
    const inLane = this.#runningInLane.get(lane) ?? 1;
    this.#running.delete(held);
    if (inLane > 1) this.#runningInLane.set(lane, inLane - 1);
    else this.#runningInLane.delete(lane);
    return inLane >= this.#limits.perLane;
  }

  /**
   * Removes an attempt, but no later attempt of the same task. Returns false if the attempt was
   * removed before.
   */
  remove(held: HeldTask): boolean {
    if (this.#latest.get(held.taskId) === held) this.#latest.delete(held.taskId);
    return this.#held.delete(held);
  }
}
