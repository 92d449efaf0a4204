import { describe } from '../../../process/errors.ts';
import type { Log } from '../../../process/log.ts';
import { Turns, type TurnsLimits } from '../../../waiting/turns.ts';
import { Listener } from '../../listener.ts';
import { labBusy, Refusal, refusalOf } from '../../problems.ts';
import { SharedWork } from '../../shared-work.ts';
import type { Stages } from '../../stages/stages.ts';
import { hasCrashes } from '../crashes/crashes.ts';
import type { RaceOrder } from '../race.ts';
import { hasRequests } from '../report.ts';
import { runCrashRounds } from './crash-rounds.ts';
import type { RaceStage } from './race-stage.ts';
import type { SeenRound } from './round.ts';
import { type Field, type RaceTold, runRounds } from './rounds.ts';

export interface RaceLineDeps {
  stages: Stages<RaceStage>;
  log: Log;
  /** Aborted when the server stops. */
  stop: AbortSignal;
  /** Who may run and wait. By default one race runs at a time. */
  turns?: TurnsLimits;
  /** Whether callers with the same order share a race that runs or waits. */
  isShared?: boolean;
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
const ONE_AFTER_THE_OTHER: TurnsLimits = { places: 1, longest: 20 };

interface Entered {
  field: Field;
  order: RaceOrder;
  caller: string;
}

const keyOf = ({ chapter, strategies }: Field, order: RaceOrder): string =>
  JSON.stringify([chapter.name, strategies.map(({ name }) => name), order]);

/** Runs one race after the other, since two races at once would slow each other. */
export class RaceLine {
  readonly #deps: RaceLineDeps;
  readonly #turns: Turns;
  readonly #open = new Map<string, SharedWork<RaceNews>>();

  constructor(deps: RaceLineDeps) {
    this.#deps = deps;
    this.#turns = new Turns(deps.turns ?? ONE_AFTER_THE_OTHER);
  }

  /**
   * Starts a race, and returns its listener. The race ends when its last listener leaves. Returns
   * `full` if no more races may wait. Callers take turns by their keys.
   */
  listen(field: Field, order: RaceOrder, caller: string): Listener | 'full' {
    const key = keyOf(field, order);
    const open = this.#deps.isShared ? this.#open.get(key) : undefined;
    if (!open && this.#turns.isFullFor(caller)) return 'full';
    const listener = new Listener();
    const race = open ?? new SharedWork<RaceNews>();
    race.join(listener);
    if (!open) void this.#run(race, key, { field, order, caller });
    return listener;
  }

  async #run(race: SharedWork<RaceNews>, key: string, { field, order, caller }: Entered) {
    this.#open.set(key, race);
    const forget = () => this.#open.get(key) === race && this.#open.delete(key);
    race.left.addEventListener('abort', forget);
    const stop = AbortSignal.any([race.left, this.#deps.stop]);
    const onRound = (round: SeenRound) => race.tell('round', round);
    const { chapter, strategies } = field;
    const work = () =>
      this.#deps.stages.use(async (stage) => {
        if (hasCrashes(chapter)) {
          await stage.closeTrack();
          return runCrashRounds(stage, { chapter, strategies }, order, onRound, stop);
        }
        if (hasRequests(chapter))
          return runRounds(stage, { chapter, strategies }, order, onRound, stop);
        throw new Error(`${chapter.name} has no race`);
      });
    try {
      const onPlace = (place: number) => race.tellLatest('queued', { place });
      const done = await this.#turns.run(work, () => undefined, { key: caller, onPlace, stop });
      if (!done) return;
      if ('kind' in done) throw new Refusal({ ...labBusy, detail: 'The race took too long.' });
      race.tell('done', done);
    } catch (error) {
      race.tell('failed', { detail: this.#explain(error) });
    } finally {
      forget();
      race.end();
    }
  }

  #explain(error: unknown): string {
    const refused = refusalOf(error);
    if (refused) return refused.detail;
    this.#deps.log.error({ event: 'race failed', error: describe(error) });
    return 'Something unexpected happened. The log has the error.';
  }
}
