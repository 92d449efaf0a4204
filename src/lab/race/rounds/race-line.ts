import { describe } from '../../../process/errors.ts';
import type { Log } from '../../../process/log.ts';
import { Places } from '../../../waiting/places.ts';
import { Listener } from '../../listener.ts';
import { labBusy, Refusal, refusalOf } from '../../problems.ts';
import type { Stages } from '../../stages/stages.ts';
import { hasCrashes } from '../crashes/crashes.ts';
import type { RaceOrder } from '../race.ts';
import { hasRequests } from '../report.ts';
import { runCrashRounds } from './crash-rounds.ts';
import type { SeenRound } from './round.ts';
import { type Field, type RaceTold, runRounds } from './rounds.ts';

export interface RaceLineDeps {
  stages: Stages;
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
}

/** The data of the events of a race, by their names. */
export interface RaceNews {
  /** The race waits for its turn. 1 is the next. */
  queued: { place: number };
  round: SeenRound;
  done: RaceTold;
  failed: { detail: string };
}

/**
 * The wait has no time limit. It ends when the listener leaves, and no race in front runs for ever.
 */
const ONE_AFTER_THE_OTHER = { places: 1, longest: 20, waitMs: Number.POSITIVE_INFINITY };

/** Runs one race after the other, since two races at once would slow each other. */
export class RaceLine {
  readonly #deps: RaceLineDeps;
  readonly #line = new Places(ONE_AFTER_THE_OTHER);

  constructor(deps: RaceLineDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a race, and returns its listener. The race ends when the listener leaves. Returns `full`
   * if no more races may wait.
   */
  listen(field: Field, order: RaceOrder): Listener | 'full' {
    if (this.#line.isFull) return 'full';
    const listener = new Listener();
    void this.#run(listener, field, order);
    return listener;
  }

  async #run(listener: Listener, field: Field, order: RaceOrder) {
    const tell = <Name extends keyof RaceNews>(name: Name, data: RaceNews[Name]) =>
      name === 'queued' ? listener.tellLatest(name, data) : listener.tell(name, data);
    const stop = AbortSignal.any([listener.left, this.#deps.stop]);
    const onRound = (round: SeenRound) => tell('round', round);
    const { chapter, strategies } = field;
    const work = () =>
      this.#deps.stages.use(async (stage) => {
        if (hasCrashes(chapter))
          return runCrashRounds(stage, { chapter, strategies }, order, onRound, stop);
        if (hasRequests(chapter))
          return runRounds(stage.url, { chapter, strategies }, order, onRound, stop);
        throw new Error(`${chapter.name} has no race`);
      });
    try {
      const onPlace = (place: number) => tell('queued', { place });
      const done = await this.#line.run(work, () => undefined, { onPlace, stop });
      if (!done) return;
      if ('kind' in done) throw new Refusal({ ...labBusy, detail: 'The race took too long.' });
      tell('done', done);
    } catch (error) {
      tell('failed', { detail: this.#explain(error) });
    } finally {
      listener.end();
    }
  }

  #explain(error: unknown): string {
    const refused = refusalOf(error);
    if (refused) return refused.detail;
    this.#deps.log.error({ event: 'race failed', error: describe(error) });
    return 'Something unexpected happened. The log has the error.';
  }
}
