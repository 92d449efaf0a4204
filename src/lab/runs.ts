import { describe } from '../platform/process/errors.ts';
import type { Log } from '../platform/process/log.ts';
import { Turns, type TurnsLimits } from '../platform/waiting/turns.ts';
import { Listener } from './listener.ts';
import { refusalOf } from './problems.ts';

/** The data of a run's events, by the name of the event. A kind of runs may have more events. */
export interface RunNews<Done> {
  /** The run waits for its turn. The run with place 1 is the next. */
  queued: { place: number };
  done: Done;
  failed: { detail: string };
}

/** The events of a run that plays schedules. */
export interface ScheduleNews<Done> extends RunNews<Done> {
  /**
   * How many schedules were played, and how many there are. `of` is null if their number is
   * unknown.
   */
  progress: { schedules: number; of: number | null };
}

export interface RunsDeps {
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
  /** How many runs may go on and wait. By default one run goes on, and 20 runs wait. */
  turns?: TurnsLimits;
}

/** The parts in which one kind of runs differs from the others. */
interface RunKind<Done> {
  /** The event in the log after an unexpected error. */
  failure: string;
  /** The words for an expected error of this kind. */
  explain?(error: unknown): string | undefined;
  /** Whether a result stays true. Later callers then get this result immediately. */
  isLasting?(done: Done): boolean;
}

interface WantedRun<News extends RunNews<unknown>> {
  /** Callers with the same key share one run. */
  key: unknown;
  caller: string;
  /** The result is undefined if the run was stopped. */
  work(run: Run<News>): Promise<News['done'] | undefined>;
  /** Called with the result, unless the caller has left. */
  onDone?(done: News['done']): void;
}

/**
 * A wait needs no time limit, since every run in front ends at some time. The wait also ends when
 * the last listener leaves.
 */
const ONE_AFTER_THE_OTHER: TurnsLimits = { places: 1, longest: 20 };
const MOST_LISTENERS = 200;
/**
 * The maximum number of results that we keep. There are about 500 explorations of two sessions. A
 * result takes about 20 kB.
 */
const MOST_KNOWN = 500;
/** The time between two reports of progress. Nobody could read faster reports. */
const PROGRESS_MS = 50;

/** The runs of one kind. Each run waits for its turn, and tells its listeners what happens. */
export class Runs<News extends RunNews<unknown>> {
  readonly #kind: RunKind<News['done']>;
  readonly #log: Log;
  readonly #stop: AbortSignal;
  readonly #turns: Turns;
  readonly #open = new Map<unknown, Run<News>>();
  readonly #known = new Map<unknown, News['done']>();
  #listeners = 0;

  constructor({ log, stop, turns = ONE_AFTER_THE_OTHER }: RunsDeps, kind: RunKind<News['done']>) {
    this.#kind = kind;
    this.#log = log;
    this.#stop = stop;
    this.#turns = new Turns(turns);
  }

  /**
   * Returns a listener of a run. Starts the run if nobody with the same key has started it. The run
   * ends when its last listener leaves. Returns `full` if too many listen or wait. Callers take
   * turns.
   */
  listen(wanted: WantedRun<News>): Listener | 'full' {
    const { key, caller, onDone } = wanted;
    if (this.#known.has(key)) {
      const done = this.#known.get(key) as News['done'];
      onDone?.(done);
      return listenerOf(done);
    }
    const open = this.#open.get(key);
    if (this.#listeners >= MOST_LISTENERS || (!open && this.#turns.isFullFor(caller)))
      return 'full';
    const listener = new Listener();
    this.#listeners++;
    listener.left.addEventListener('abort', () => this.#listeners--);
    const run = open ?? new Run<News>(this.#stop);
    run.join(listener);
    if (onDone)
      run.whenDone((done: News['done']) => {
        if (!listener.left.aborted) onDone(done);
      });
    if (!open) void this.#run(run, wanted);
    return listener;
  }

  async #run(run: Run<News>, { key, caller, work }: WantedRun<News>) {
    this.#open.set(key, run);
    // A later caller with the same key starts a new run.
    const forget = () => this.#open.get(key) === run && this.#open.delete(key);
    const { stop } = run;
    stop.addEventListener('abort', () => {
      forget();
      // When the server stops, the streams end immediately. They do not wait for a schedule.
      run.end();
    });
    const onPlace = (place: number) => run.tellLatest('queued', { place });
    try {
      // No await comes before `run`. So the place that `listen` found free is still free.
      const done = await this.#turns.run(
        () => work(run),
        () => undefined,
        { key: caller, onPlace, stop },
      );
      if (done === undefined) return;
      if (this.#kind.isLasting?.(done)) this.#remember(key, done);
      run.tell('done', done);
      run.done(done);
    } catch (error) {
      // A server that stops closes the databases that the run uses. The errors that follow are no
      // failures.
      if (!this.#stop.aborted) run.tell('failed', { detail: this.#explain(error) });
    } finally {
      forget();
      run.end();
    }
  }

  #remember(key: unknown, done: News['done']) {
    this.#known.set(key, done);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN) this.#known.delete(oldest);
  }

  #explain(error: unknown): string {
    const words = this.#kind.explain?.(error) ?? refusalOf(error)?.detail;
    if (words !== undefined) return words;
    this.#log.error({ event: this.#kind.failure, error: describe(error) });
    return 'Something unexpected happened. The log has the error.';
  }
}

/** Returns a listener that receives a known result. */
function listenerOf(done: unknown): Listener {
  const listener = new Listener();
  listener.tell('done', done);
  listener.end();
  return listener;
}

/** Returns a function that tells how many schedules a run has played. */
export function progressOf(run: Run<ScheduleNews<unknown>>, of: number | null) {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (schedules: number) => {
    if (performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    run.tellLatest('progress', { schedules, of });
  };
}

/** A run that waits or goes on, and its listeners. */
export class Run<News> {
  /** Aborted when the last listener has left, and when the server stops. */
  readonly stop: AbortSignal;
  readonly #listeners = new Set<Listener>();
  readonly #leaving = new AbortController();
  readonly #wanting: ((done: unknown) => void)[] = [];
  /** The news that a later listener needs. */
  #told: ((listener: Listener) => void)[] = [];

  constructor(stop: AbortSignal) {
    this.stop = AbortSignal.any([this.#leaving.signal, stop]);
  }

  join(listener: Listener) {
    this.#listeners.add(listener);
    for (const tell of this.#told) tell(listener);
    listener.left.addEventListener('abort', () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#leaving.abort();
    });
  }

  /** Sends news to all listeners, and to listeners who join later. */
  tell<Name extends keyof News & string>(name: Name, data: News[Name]) {
    this.#tellAll((listener) => listener.tell(name, data));
  }

  /** Sends news to all listeners. The news replaces all earlier news. */
  tellLatest<Name extends keyof News & string>(name: Name, data: News[Name]) {
    this.#told = [];
    this.#tellAll((listener) => listener.tellLatest(name, data));
  }

  end() {
    for (const listener of this.#listeners) listener.end();
  }

  /** Calls `hear` with the result of this run. */
  whenDone(hear: (done: never) => void) {
    this.#wanting.push(hear as (done: unknown) => void);
  }

  done(done: unknown) {
    for (const hear of this.#wanting) hear(done);
  }

  #tellAll(tell: (listener: Listener) => void) {
    this.#told.push(tell);
    for (const listener of this.#listeners) tell(listener);
  }
}
