import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { Places } from '../../waiting/places.ts';
import { claimScenario, settingNamed } from '../chapters/claims/situations.ts';
import { strategies } from '../chapters/claims/strategies/index.ts';
import { counterexampleOf, explore, type Exploration as Findings } from '../explore/explore.ts';
import { Divergence } from '../explore/forks.ts';
import { tell } from '../explore/told.ts';
import { Listener } from '../listener.ts';
import { labBusy, Refusal, refusalOf } from '../problems.ts';
import type { Stages } from '../stages/stages.ts';
import { knownVerdicts } from '../syllabus/known-verdicts.ts';
import { Exploration, type Explored, type Question } from './exploration.ts';

export interface ExplorationsDeps {
  stages: Stages;
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
}

/** Two recruiters never have as many; three of them may have millions. */
const MOST_SCHEDULES = 10_000;
/** The wait ends with its last listener, and each exploration before it has a bound. */
const ONE_AFTER_THE_OTHER = { places: 1, longest: 20, waitMs: Number.POSITIVE_INFINITY };
const MOST_LISTENERS = 200;
const WENT_ANOTHER_WAY =
  'Played again, a schedule went another way: PostgreSQL may wake two of three recruiters at once, ' +
  'and who comes first is up to it. So nothing can be counted here; with two recruiters it can.';
/** More often nobody could read it. */
const PROGRESS_MS = 50;

/** Explores for whoever asks: one after the other, once for all who ask the same. */
export class Explorations {
  readonly #deps: ExplorationsDeps;
  readonly #line = new Places(ONE_AFTER_THE_OTHER);
  readonly #open = new Map<string, Exploration>();
  /** What came of each question: the code does not change while it runs. */
  readonly #known = new Map<string, Explored>();
  #listeners = 0;

  constructor(deps: ExplorationsDeps) {
    this.#deps = deps;
  }

  /** Tells of an exploration, which begins for it if need be. `full` where no more may wait. */
  listen(question: Question): Listener | 'full' {
    const key = Object.values(question).join();
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
    const exploration = open ?? new Exploration();
    exploration.join(listener);
    if (!open) void this.#run(key, question, exploration);
    return listener;
  }

  /** How many explorations are under way or wait. */
  load(): number {
    return this.#open.size;
  }

  async #run(key: string, question: Question, exploration: Exploration) {
    this.#open.set(key, exploration);
    // Whoever asks from now on asks anew.
    const forget = () => this.#open.get(key) === exploration && this.#open.delete(key);
    exploration.left.addEventListener('abort', forget);
    const stop = AbortSignal.any([exploration.left, this.#deps.stop]);
    try {
      const work = () => this.#explore(question, exploration, stop);
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

  /** Undefined where it was stopped. */
  async #explore(question: Question, exploration: Exploration, stop: AbortSignal) {
    const { strategy, scenario, sessions } = question;
    const of = sessions === 2 ? knownVerdicts[strategy]?.settings[scenario]?.schedules : undefined;
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
      explore(stage, scenarioOf(question), options).catch((error) => {
        if (!stop.aborted) throw error;
      }),
    );
    if (found && 'kind' in found) throw new Refusal(labBusy);
    return found && explored(question, found);
  }

  #explain(error: unknown): string {
    if (error instanceof Divergence) return WENT_ANOTHER_WAY;
    const refused = refusalOf(error);
    if (refused) return refused.detail;
    this.#deps.log.error({ event: 'exploration failed', error: describe(error) });
    return 'Something unexpected happened. The log has it.';
  }
}

function scenarioOf({ strategy: name, scenario, sessions }: Question) {
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) throw new Error(`there is no strategy ${name}`);
  return claimScenario(strategy, settingNamed(scenario), sessions);
}

function explored(question: Question, found: Findings): Explored {
  const { schedules, isComplete, serializationFailures, faults, milliseconds } = found;
  const clearest = counterexampleOf(found);
  const counterexample = clearest ? tell(clearest) : null;
  return {
    ...question,
    ...{ schedules, isComplete, serializationFailures, faults, counterexample, milliseconds },
  };
}
