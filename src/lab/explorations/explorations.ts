import {
  counterexampleOf,
  type Exploration,
  explore,
  type Played,
  replay,
} from '../../explorer/explore.ts';
import { Divergence } from '../../explorer/forks.ts';
import type { Stage } from '../../explorer/stage.ts';
import { tell } from '../../explorer/tell.ts';
import { sessionsIn } from '../chapter.ts';
import { addressOf } from '../chapters/index.ts';
import type { Listener } from '../listener.ts';
import { labBusy, Refusal } from '../problems.ts';
import { progressOf, type Run, Runs, type RunsDeps } from '../runs.ts';
import type { Stages } from '../stages/stages.ts';
import { knownVerdicts } from '../syllabus/known-verdicts.ts';
import type { Proof } from '../syllabus/verdicts.ts';
import type { Asked, ExplorationNews, Explored, Question } from './exploration.ts';
import { type Order, orderOf, sorted } from './orders.ts';

export interface ExplorationsDeps extends RunsDeps {
  stages: Stages;
  /** No exploration begins a schedule after this time. By default there is no limit. */
  mostMs?: number;
  /**
   * Stages for answers from verdicts.generated.json. Such an answer plays only one schedule.
   * Without these stages, the lab plays all schedules, and keeps the result.
   */
  forKnown?: Stages;
}

/**
 * The maximum number of schedules of one exploration. Two sessions never have so many schedules.
 * Three sessions may have millions.
 */
const MOST_SCHEDULES = 10_000;
/** The maximum number of orders that one answer lists. An order takes about 60 bytes. */
const MOST_LISTED = 2_000;
const NO_LIMIT = Number.POSITIVE_INFINITY;
const WENT_ANOTHER_WAY =
  'A schedule ran differently when it was played again. With three sessions, PostgreSQL may wake two ' +
  'at once, in any order. So the schedules cannot be counted. Choose two sessions.';
/**
 * The limits on answers from verdicts.generated.json. Such an answer is quick, so it does not wait
 * in the line.
 */
const AT_ONCE = { places: Number.POSITIVE_INFINITY, longest: 0 };

const kind = {
  failure: 'exploration failed',
  explain: (error: unknown) => (error instanceof Divergence ? WENT_ANOTHER_WAY : undefined),
};

/** Explores questions one after the other. Callers with the same question share one exploration. */
export class Explorations {
  readonly #deps: ExplorationsDeps;
  readonly #explorations: Runs<ExplorationNews>;
  readonly #answers: Runs<ExplorationNews>;

  constructor(deps: ExplorationsDeps) {
    this.#deps = deps;
    // A result stays true, since the code does not change while the server runs.
    const isLasting = ({ isComplete }: Explored) => isComplete;
    this.#explorations = new Runs(deps, { ...kind, isLasting });
    this.#answers = new Runs({ ...deps, turns: AT_ONCE }, { ...kind, isLasting: () => true });
  }

  /**
   * Returns a listener of an exploration, or `full` if too many listen or wait. With `listsOrders`,
   * plays every order, even if the verdict is known.
   */
  listen(asked: Asked, caller: string, { listsOrders = false } = {}): Listener | 'full' {
    const key = Object.values(questionOf(asked)).join();
    if (listsOrders) {
      const work = (run: Run<ExplorationNews>) => this.#list(asked, run);
      return this.#explorations.listen({ key: `orders of ${key}`, caller, work });
    }
    const { forKnown } = this.#deps;
    const proof = forKnown && knownProof(asked);
    if (proof)
      return this.#answers.listen({ key, caller, work: () => answer(forKnown, asked, proof) });
    const work = (run: Run<ExplorationNews>) => this.#explore(asked, run);
    return this.#explorations.listen({ key, caller, work });
  }

  async #list(asked: Asked, run: Run<ExplorationNews>): Promise<Explored | undefined> {
    const orders: Order[] = [];
    const onPlayed = (played: Played) => orders.push(orderOf(asked.chapter.faults, played));
    const found = await this.#explore(asked, run, { atMost: MOST_LISTED, onPlayed });
    return found && { ...found, orders: sorted(orders) };
  }

  async #explore(
    asked: Asked,
    run: Run<ExplorationNews>,
    { atMost = MOST_SCHEDULES, onPlayed = () => {} }: Playing = {},
  ): Promise<Explored | undefined> {
    const { chapter, strategy, situation, sessions } = asked;
    const { stop } = run;
    const most = Math.min(situation.most ?? atMost, atMost);
    const known = knownProof(asked)?.schedules;
    const onSchedule = progressOf(run, known === undefined ? null : Math.min(most, known));
    onSchedule(0);
    const options = { stop, onSchedule, onPlayed, most, mostMs: this.#deps.mostMs ?? NO_LIMIT };
    const found = await this.#deps.stages.use((stage) =>
      // A stop takes effect between two schedules. The stage is clean then, so we keep the stage.
      explore(stage, chapter.trial(strategy, situation, sessions), options).catch(
        (error): undefined => {
          if (!stop.aborted) throw error;
        },
      ),
    );
    if (found && 'kind' in found) throw new Refusal(labBusy);
    return found && explored(asked, found);
  }
}

interface Playing {
  /** The maximum number of schedules. */
  atMost?: number;
  onPlayed?: (played: Played) => void;
}

/** Returns the answer from verdicts.generated.json. */
async function answer(stages: Stages, asked: Asked, proof: Proof): Promise<Explored> {
  const told = await stages.use((stage) => tellKnown(stage, asked, proof));
  if ('kind' in told) throw new Refusal(labBusy);
  return { ...questionOf(asked), ...told };
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

/** Returns the proof in verdicts.generated.json, if the proof answers this question. */
const knownProof = (asked: Asked): Proof | undefined =>
  asked.sessions === sessionsIn(asked.situation, 2)
    ? knownVerdicts[addressOf(asked)]?.situations[asked.situation.name]
    : undefined;

/** Answers a known question. Plays only the clearest schedule of the gravest fault. */
async function tellKnown(
  stage: Stage,
  asked: Asked,
  { clearest, ...counted }: Proof,
): Promise<Omit<Explored, keyof Question>> {
  const { chapter, strategy, situation, sessions } = asked;
  const gravest = chapter.faults.find(({ name }) => clearest[name] !== undefined);
  const schedule = gravest && clearest[gravest.name]?.split(',');
  const began = performance.now();
  const played =
    schedule && (await replay(stage, chapter.trial(strategy, situation, sessions), schedule));
  return {
    ...counted,
    counterexample: played ? tell(played) : null,
    milliseconds: Math.round(performance.now() - began),
  };
}
