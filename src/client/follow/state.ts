import type { ServerEvent } from '../events.ts';

/** The thing that an event is about. */
export interface Subject {
  id: unknown;
  /** Whether the thing is gone after the event. */
  isGone: boolean;
  /** The event to keep for the full state, if it differs from the event itself. */
  kept?: ServerEvent;
}

export interface Reaction {
  /** Finds the thing that an event is about. Returns undefined for an unknown event. */
  subjectOf(event: ServerEvent): Subject | undefined;
  /** Called with the latest event of each thing by its id, and with the ids of the changed things. */
  onChange(all: ReadonlyMap<unknown, ServerEvent>, changed: readonly unknown[]): void;
  /** Called with each event about a thing. */
  onEvent?(event: ServerEvent): void;
}

/**
 * The delay before changes are reported. People do not notice such a delay. All changes during the
 * delay are reported together.
 */
const BATCH_MS = 30;

/** The state of the followed things, kept from the events of a stream. */
export class FollowedState {
  readonly #reaction: Reaction;
  #all = new Map<unknown, ServerEvent>();
  /** The new full state while it arrives, after `begin` and before `end`. Otherwise undefined. */
  #fresh: Map<unknown, ServerEvent> | undefined;
  #isComplete = false;
  readonly #changed: Set<unknown>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** If the full state lacks an id of `expected`, this id is reported as gone. */
  constructor(reaction: Reaction, expected: readonly unknown[]) {
    this.#reaction = reaction;
    this.#changed = new Set(expected);
  }

  take(event: ServerEvent) {
    if (event.name === 'begin') this.#fresh = new Map();
    else if (event.name === 'end') this.#end();
    else this.#change(event);
  }

  /**
   * Returns the full state as events. Returns undefined before the full state has come, and while a
   * new full state arrives.
   */
  asEvents(): ServerEvent[] | undefined {
    if (!this.#isComplete || this.#fresh) return undefined;
    return [{ name: 'begin', data: {} }, ...this.#all.values(), { name: 'end', data: {} }];
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #change(event: ServerEvent) {
    const subject = this.#reaction.subjectOf(event);
    if (!subject) return;
    const { id, isGone, kept = event } = subject;
    for (const map of this.#fresh ? [this.#all, this.#fresh] : [this.#all])
      if (isGone) map.delete(id);
      else map.set(id, kept);
    this.#changed.add(id);
    // The first full state is reported as a whole.
    if (this.#isComplete) this.#timer ??= setTimeout(() => this.#tell(), BATCH_MS);
    this.#reaction.onEvent?.(event);
  }

  #end() {
    if (!this.#fresh) return;
    for (const id of this.#all.keys()) if (!this.#fresh.has(id)) this.#changed.add(id);
    this.#all = this.#fresh;
    this.#fresh = undefined;
    this.#isComplete = true;
    this.#tell();
  }

  #tell() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#reaction.onChange(new Map(this.#all), changed);
  }
}
