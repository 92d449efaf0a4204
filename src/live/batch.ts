/** Events of jobs, at most one for each job. All followers who are told them share the bytes. */
export class Batch {
  readonly events: ReadonlyMap<bigint, Uint8Array>;
  #bytes: Uint8Array | undefined;

  constructor(events: Iterable<readonly [id: bigint, event: Uint8Array]>) {
    this.events = new Map(events);
  }

  /** All events in one piece, which is put together once for all followers. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.concat([...this.events.values()]);
    return this.#bytes;
  }
}

/** What waits for one client: the latest event of each job. */
export class Backlog {
  /** The only batch that waits, if it is the only one: its bytes are there already. */
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

  /** All that waits, in one piece; nothing waits afterwards. */
  take(): Uint8Array {
    const { bytes } = this.#only ?? new Batch(this.#latest);
    this.clear();
    return bytes;
  }

  #merge(batch: Batch | undefined) {
    for (const [id, event] of batch?.events ?? []) this.#latest.set(id, event);
  }
}
