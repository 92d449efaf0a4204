import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { Places } from '../../waiting/places.ts';
import { type Situation, sessionsIn } from '../chapter.ts';
import { type Addressed, addressOf } from '../chapters/index.ts';
import { counterexampleOf, type Exploration, explore } from '../explore/explore.ts';
import { Divergence } from '../explore/forks.ts';
import { tell } from '../explore/tell.ts';
import { Listener } from '../listener.ts';
import { labBusy, Refusal, refusalOf } from '../problems.ts';
import type { Stages } from '../stages/stages.ts';
import { knownVerdicts } from '../syllabus/known-verdicts.ts';
import { type Explored, OpenExploration, type Question } from './exploration.ts';

export interface ExplorationsDeps {
  stages: Stages;
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
}

/**
 * The most schedules of one exploration. Two sessions never have so many. Three may have millions.
 */
const MOST_SCHEDULES = 10_000;
/**
 * The wait has no time limit. It ends when the last listener leaves, and no exploration in front
 * runs for ever.
 */
const ONE_AFTER_THE_OTHER = { places: 1, longest: 20, waitMs: Number.POSITIVE_INFINITY };
const MOST_LISTENERS = 200;
const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. With three sessions, PostgreSQL may wake two ' +
  'at once, in any order. So the schedules cannot be counted. Choose two sessions.';
/** The time between two reports of progress. Nobody could read faster reports. */
const PROGRESS_MS = 50;

/** One question: which strategy is explored, in which situation, with how many sessions. */
export interface Asked extends Addressed {
  situation: Situation;
  sessions: number;
}

/** Explores one question after the other. Callers with the same question share one exploration. */
export class Explorations {
  readonly #deps: ExplorationsDeps;
  readonly #line = new Places(ONE_AFTER_THE_OTHER);
  readonly #open = new Map<string, OpenExploration>();
  /**
   * Complete results, by question. They stay true, since the code does not change while the server
   * runs.
   */
  readonly #known = new Map<string, Explored>();
  #listeners = 0;

  constructor(deps: ExplorationsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a listener of an exploration, and starts the exploration if it does not run yet.
   * Returns `full` if too many listen or wait.
   */
  listen(asked: Asked): Listener | 'full' {
    const key = Object.values(questionOf(asked)).join();
    const known = this.#known.get(key);
    const listener = new Listener();
    if (known) {
      listener.tell('done', known);
      listener.end();
      return listener;
    }
    const open = this.#open.get(key);
    if (this.#listeners >= MOST_LISTENERS || (!open && this.#line.isFull)) return 'full';
    this.#listeners++;
    listener.left.addEventListener('abort', () => this.#listeners--);
    const exploration = open ?? new OpenExploration();
    exploration.join(listener);
    if (!open) void this.#run(key, asked, exploration);
    return listener;
  }

  /** How many explorations run or wait. */
  load(): number {
    return this.#open.size;
  }

  async #run(key: string, asked: Asked, exploration: OpenExploration) {
    this.#open.set(key, exploration);
    // A later caller with the same question starts a new exploration.
    const forget = () => this.#open.get(key) === exploration && this.#open.delete(key);
    exploration.left.addEventListener('abort', forget);
    const stop = AbortSignal.any([exploration.left, this.#deps.stop]);
    try {
      const work = () => this.#explore(asked, exploration, stop);
      const onPlace = (place: number) => exploration.tell('queued', { place });
      const done = await this.#line.run(work, () => undefined, { onPlace, stop });
      if (!done) return;
      if (done.isComplete) this.#known.set(key, done);
      exploration.tell('done', done);
    } catch (error) {
      exploration.tell('failed', { detail: this.#explain(error) });
    } finally {
      forget();
      exploration.end();
    }
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
      exploration.tell('progress', { schedules, of: of ?? null });
    };
    onSchedule(0);
    const options = { stop, onSchedule, most };
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
