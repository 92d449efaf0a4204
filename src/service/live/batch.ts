/**
 * The latest events, by the ids of what they are about: jobs, or the claims and places of a recruiter.
 * All followers of the same jobs share the bytes.
 */
export class Batch {
  readonly events: ReadonlyMap<bigint, Uint8Array>;
  #bytes: Uint8Array | undefined;

  constructor(events: Iterable<readonly [id: bigint, event: Uint8Array]>) {
    this.events = new Map(events);
  }

  /** All events in one piece. The piece is made once for all followers. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.concat([...this.events.values()]);
    return this.#bytes;
  }
}

/** The events that wait for one client: the latest event of each id. */
export class Backlog {
  /** Set while exactly one batch waits. The bytes of this batch can be sent unchanged. */
  #only: Batch | undefined;
  readonly #latest = new Map<bigint, Uint8Array>();

  get size(): number {
    return this.#only?.events.size ?? this.#latest.size;
  }

  add(batch: Batch) {
    if (this.size === 0) this.#only = batch;
    else {
      this.#merge(this.#only);
      this.#only = undefined;
      this.#merge(batch);
    }
  }

  clear() {
    this.#only = undefined;
    this.#latest.clear();
  }

  /** Removes all waiting events, and returns them in one piece. */
  take(): Uint8Array {
    const { bytes } = this.#only ?? new Batch(this.#latest);
    this.clear();
    return bytes;
  }

  #merge(batch: Batch | undefined) {
    for (const [id, event] of batch?.events ?? []) this.#latest.set(id, event);
  }
}
