import type { Listener } from '../../listener.ts';
import { labBusy, Refusal } from '../../problems.ts';
import { type Run, type RunNews, Runs, type RunsDeps } from '../../runs.ts';
import type { Stages } from '../../stages/stages.ts';
import { hasCrashes } from '../crashes/crashes.ts';
import type { RaceOrder } from '../race.ts';
import { hasRequests } from '../report.ts';
import { runCrashRounds } from './crash-rounds.ts';
import type { RaceStage } from './race-stage.ts';
import type { SeenRound } from './round.ts';
import { type Field, type RaceTold, runRounds } from './rounds.ts';

export interface RaceLineDeps extends RunsDeps {
  stages: Stages<RaceStage>;
  /** Whether callers with the same order share a race that runs or waits. */
  isShared?: boolean;
}

/** The data of the events of a race, by their names. */
export interface RaceNews extends RunNews<RaceTold> {
  round: SeenRound;
}

const keyOf = ({ chapter, strategies }: Field, order: RaceOrder): string =>
  JSON.stringify([chapter.name, strategies.map(({ name }) => name), order]);

/** Runs one race after the other, since two races at the same time would slow each other. */
export class RaceLine {
  readonly #deps: RaceLineDeps;
  readonly #races: Runs<RaceNews>;

  constructor(deps: RaceLineDeps) {
    this.#deps = deps;
    this.#races = new Runs(deps, { failure: 'race failed' });
  }

  /** Returns a listener of a race, or `full` if too many listen or wait. */
  listen(field: Field, order: RaceOrder, caller: string): Listener | 'full' {
    const key = this.#deps.isShared ? keyOf(field, order) : Symbol('a race of its own');
    const work = (race: Run<RaceNews>) => this.#race(field, order, race);
    return this.#races.listen({ key, caller, work });
  }

  async #race({ chapter, strategies }: Field, order: RaceOrder, race: Run<RaceNews>) {
    const onRound = (round: SeenRound) => race.tell('round', round);
    const told = await this.#deps.stages.use(async (stage) => {
      if (hasCrashes(chapter)) {
        await stage.closeTrack();
        return runCrashRounds(stage, { chapter, strategies }, order, onRound, race.stop);
      }
      if (hasRequests(chapter))
        return runRounds(stage, { chapter, strategies }, order, onRound, race.stop);
      throw new Error(`${chapter.name} has no race`);
    });
    if (told && 'kind' in told)
      throw new Refusal({ ...labBusy, detail: 'The race took too long.' });
    return told;
  }
}
