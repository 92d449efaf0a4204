import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { Turns, type TurnsLimits } from '../../waiting/turns.ts';
import { sessionsIn } from '../chapter.ts';
import { addressOf } from '../chapters/index.ts';
import { counterexampleOf, type Exploration, explore } from '../explore/explore.ts';
import { Divergence } from '../explore/forks.ts';
import { tell } from '../explore/tell.ts';
import { Listener } from '../listener.ts';
import { labBusy, Refusal, refusalOf } from '../problems.ts';
import { SharedWork } from '../shared-work.ts';
import type { Stages } from '../stages/stages.ts';
import { knownVerdicts } from '../syllabus/known-verdicts.ts';
import type { Asked, ExplorationNews, Explored, Question } from './exploration.ts';
import { isKnown, tellKnown } from './known.ts';

export interface ExplorationsDeps {
  stages: Stages;
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
  /** Who may run and wait. By default one exploration runs at a time. */
  turns?: TurnsLimits;
  /** No exploration begins a schedule after this time. By default there is no limit. */
  mostMs?: number;
  /**
   * Stages for answers from verdicts.json. Such an answer plays one schedule instead of all. By
   * default the lab plays all, and keeps the result.
   */
  forKnown?: Stages;
}

/**
 * The most schedules of one exploration. Two sessions never have so many. Three may have millions.
 */
const MOST_SCHEDULES = 10_000;
/**
 * The wait has no time limit. It ends when the last listener leaves, and no exploration in front
 * runs for ever.
 */
const ONE_AFTER_THE_OTHER: TurnsLimits = { places: 1, longest: 20 };
const MOST_LISTENERS = 200;
const NO_LIMIT = Number.POSITIVE_INFINITY;
const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. With three sessions, PostgreSQL may wake two ' +
  'at once, in any order. So the schedules cannot be counted. Choose two sessions.';
/** The time between two reports of progress. Nobody could read faster reports. */
const PROGRESS_MS = 50;

type OpenExploration = SharedWork<ExplorationNews>;

/** Explores one question after the other. Callers with the same question share one exploration. */
export class Explorations {
  readonly #deps: ExplorationsDeps;
  readonly #turns: Turns;
  readonly #open = new Map<string, OpenExploration>();
  /**
   * Complete results, by question. They stay true, since the code does not change while the server
   * runs.
   */
  readonly #known = new Map<string, Explored>();
  #listeners = 0;

  constructor(deps: ExplorationsDeps) {
    this.#deps = deps;
    this.#turns = new Turns(deps.turns ?? ONE_AFTER_THE_OTHER);
  }

  /**
   * Returns a listener of an exploration, and starts the exploration if it does not run yet.
   * Returns `full` if too many listen or wait. Callers take turns by their keys.
   */
  listen(asked: Asked, caller: string): Listener | 'full' {
    const key = Object.values(questionOf(asked)).join();
    const known = this.#known.get(key);
    const listener = new Listener();
    if (known) {
      listener.tell('done', known);
      listener.end();
      return listener;
    }
    const open = this.#open.get(key);
    const mustWait = !open && !this.#isKnown(asked);
    if (this.#listeners >= MOST_LISTENERS || (mustWait && this.#turns.isFullFor(caller)))
      return 'full';
    this.#listeners++;
    listener.left.addEventListener('abort', () => this.#listeners--);
    const exploration = open ?? new SharedWork<ExplorationNews>();
    exploration.join(listener);
    if (!open) void this.#run(key, asked, exploration, caller);
    return listener;
  }

  /** How many explorations run or wait. */
  load(): number {
    return this.#open.size;
  }

  async #run(key: string, asked: Asked, exploration: OpenExploration, caller: string) {
    this.#open.set(key, exploration);
    // A later caller with the same question starts a new exploration.
    const forget = () => this.#open.get(key) === exploration && this.#open.delete(key);
    exploration.left.addEventListener('abort', forget);
    const stop = AbortSignal.any([exploration.left, this.#deps.stop]);
    try {
      const work = () => this.#explore(asked, exploration, stop);
      const onPlace = (place: number) => exploration.tellLatest('queued', { place });
      // No await comes before `run`, so the place that `listen` has seen is still free.
      const done = this.#isKnown(asked)
        ? await this.#tellKnown(asked)
        : await this.#turns.run(work, () => undefined, { key: caller, onPlace, stop });
      if (!done) return;
      if (done.isComplete || this.#isKnown(asked)) this.#known.set(key, done);
      exploration.tellLatest('done', done);
    } catch (error) {
      exploration.tellLatest('failed', { detail: this.#explain(error) });
    } finally {
      forget();
      exploration.end();
    }
  }

  #isKnown(asked: Asked): boolean {
    return this.#deps.forKnown !== undefined && isKnown(asked);
  }

  /** The answer from verdicts.json. Undefined if there is none. */
  async #tellKnown(asked: Asked): Promise<Explored | undefined> {
    const { forKnown } = this.#deps;
    if (!forKnown || !isKnown(asked)) return undefined;
    const told = await forKnown.use((stage) => tellKnown(stage, asked));
    if ('kind' in told) throw new Refusal(labBusy);
    return { ...questionOf(asked), ...told };
  }

  /** Undefined if the exploration was stopped. */
  async #explore(asked: Asked, exploration: OpenExploration, stop: AbortSignal) {
    const { chapter, strategy, situation, sessions } = asked;
    const most = Math.min(situation.most ?? MOST_SCHEDULES, MOST_SCHEDULES);
    const proof = knownVerdicts[addressOf(asked)]?.situations[situation.name];
    const of = sessions === sessionsIn(situation, 2) ? proof?.schedules : undefined;
    let toldAt = Number.NEGATIVE_INFINITY;
    const onSchedule = (schedules: number) => {
      if (performance.now() - toldAt < PROGRESS_MS) return;
      toldAt = performance.now();
      exploration.tellLatest('progress', { schedules, of: of ?? null });
    };
    onSchedule(0);
    const options = { stop, onSchedule, most, mostMs: this.#deps.mostMs ?? NO_LIMIT };
    const found = await this.#deps.stages.use((stage) =>
      // A stop takes effect between two schedules. The stage is then clean, so it need not be
      // dropped.
      explore(stage, chapter.trial(strategy, situation, sessions), options).catch((error) => {
        if (!stop.aborted) throw error;
      }),
    );
    if (found && 'kind' in found) throw new Refusal(labBusy);
    return found && explored(asked, found);
  }

  #explain(error: unknown): string {
    if (error instanceof Divergence) return WENT_ANOTHER_WAY;
    const refused = refusalOf(error);
    if (refused) return refused.detail;
    this.#deps.log.error({ event: 'exploration failed', error: describe(error) });
    return 'Something unexpected happened. The log has the error.';
  }
}

const questionOf = (asked: Asked): Question => ({
  strategy: addressOf(asked),
  situation: asked.situation.name,
  sessions: asked.sessions,
});

function explored(asked: Asked, found: Exploration): Explored {
  const { counterexamples, ...counted } = found;
  const clearest = counterexampleOf(found, asked.chapter.faults);
  return { ...questionOf(asked), ...counted, counterexample: clearest ? tell(clearest) : null };
}
