import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { Places } from '../../waiting/places.ts';
import type { Situation } from '../chapter.ts';
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

/** Two sessions never have as many schedules. Three may have millions. */
const MOST_SCHEDULES = 10_000;
/** The wait ends with its last listener, and each exploration before it has a bound. */
const ONE_AFTER_THE_OTHER = { places: 1, longest: 20, waitMs: Number.POSITIVE_INFINITY };
const MOST_LISTENERS = 200;
const WENT_ANOTHER_WAY =
  'A schedule went another way when it was played again. PostgreSQL may wake two of three sessions at ' +
  'once, in any order. So nothing can be counted here. Two sessions can be counted.';
/** Nobody could read news that come more often. */
const PROGRESS_MS = 50;

/** What is explored. */
export interface Asked extends Addressed {
  situation: Situation;
  sessions: number;
}

/** Explores one question after the other, once for all who ask the same. */
export class Explorations {
  readonly #deps: ExplorationsDeps;
  readonly #line = new Places(ONE_AFTER_THE_OTHER);
  readonly #open = new Map<string, OpenExploration>();
  /** The results so far. The code does not change while the server runs. */
  readonly #known = new Map<string, Explored>();
  #listeners = 0;

  constructor(deps: ExplorationsDeps) {
    this.#deps = deps;
  }

  /** Listens to an exploration, and begins it if need be. `full` if no more may wait. */
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

  /** How many explorations are under way or wait. */
  load(): number {
    return this.#open.size;
  }

  async #run(key: string, asked: Asked, exploration: OpenExploration) {
    this.#open.set(key, exploration);
    // Questions from now on begin anew.
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
    const proof = knownVerdicts[addressOf(asked)]?.situations[situation.name];
    const of = sessions === 2 ? proof?.schedules : undefined;
    let toldAt = Number.NEGATIVE_INFINITY;
    const onSchedule = (schedules: number) => {
      if (performance.now() - toldAt < PROGRESS_MS) return;
      toldAt = performance.now();
      exploration.tell('progress', { schedules, of: of ?? null });
    };
    onSchedule(0);
    const options = { stop, onSchedule, most: MOST_SCHEDULES };
    const found = await this.#deps.stages.use((stage) =>
      // Between two schedules the stage is as good as new, so it need not be dropped.
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
    return 'Something unexpected happened. The log has it.';
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
