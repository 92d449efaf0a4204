import type { ServerEvent } from '../events.ts';

/** The rules for how the events of a stream change a state. */
export interface Rules<T> {
  /** Finds the thing in an event, and its id. `value` is undefined for a thing that is gone. */
  read(event: ServerEvent): { id: unknown; value: T | undefined } | undefined;
  /** Makes the event for the present state of a thing. */
  write(value: T): ServerEvent;
}

/**
 * The delay before changes are reported. People do not notice such a delay. All changes during the
 * delay are reported together.
 */
const BATCH_MS = 30;

/** The state of the followed things, kept from the events of a stream. */
export class FollowedState<T> {
  readonly #rules: Rules<T>;
  readonly #onChange: (all: ReadonlyMap<unknown, T>, changed: readonly unknown[]) => void;
  #all = new Map<unknown, T>();
  /** The new full state while it arrives, after `begin` and before `end`. Otherwise undefined. */
  #fresh: Map<unknown, T> | undefined;
  #isComplete = false;
  readonly #changed = new Set<unknown>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** If the full state lacks an id of `expected`, this id is reported as gone. */
  constructor(
    rules: Rules<T>,
    expected: readonly unknown[],
    onChange: (all: ReadonlyMap<unknown, T>, changed: readonly unknown[]) => void,
  ) {
    this.#rules = rules;
    this.#onChange = onChange;
    for (const id of expected) this.#changed.add(id);
  }

  take(event: ServerEvent) {
    if (event.name === 'begin') this.#fresh = new Map();
    else if (event.name === 'end') this.#end();
    else this.#change(event);
  }

  /** Returns the full state as events, or undefined before the full state has come. */
  asEvents(): ServerEvent[] | undefined {
    if (!this.#isComplete) return undefined;
    const told = [...this.#all.values()].map((value) => this.#rules.write(value));
    return [{ name: 'begin', data: {} }, ...told, { name: 'end', data: {} }];
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #change(event: ServerEvent) {
    const about = this.#rules.read(event);
    if (!about) return;
    for (const map of this.#fresh ? [this.#all, this.#fresh] : [this.#all])
      if (about.value === undefined) map.delete(about.id);
      else map.set(about.id, about.value);
    this.#changed.add(about.id);
    // The first full state is reported as a whole.
    if (this.#isComplete) this.#timer ??= setTimeout(() => this.#tell(), BATCH_MS);
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
    this.#onChange(new Map(this.#all), changed);
  }
}
