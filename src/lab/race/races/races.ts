import type { ClaimRequest } from '../../../claims/rules.ts';
import { settle } from '../../../claims/settle.ts';
import type { Database } from '../../../db/client.ts';
import type { Unanswered } from '../../../waiting/admission.ts';
import type { Standing } from '../../chapters/claims/faults.ts';
import type { Strategy } from '../../chapters/claims/strategy.ts';
import type { Stages } from '../../stages/stages.ts';
import type { RaceSettings } from '../race.ts';
import type { Recorder } from '../recorder.ts';
import { countClaimsOf, layTrack, type Track } from '../track.ts';
import { OpenRace, type RacePatience } from './open-race.ts';

export interface RacesDeps {
  tracks: Stages<Track>;
  /** Stands around each claim, such as to record it. */
  around?: Recorder['around'] | undefined;
  patience?: RacePatience | undefined;
}

type Size = Pick<RaceSettings, 'capacity' | 'recruiters'>;

/** A crowd of 1,000 connects within seconds, and its last claim is answered within 20 seconds. */
const PATIENCE: RacePatience = { idleMs: 10_000, longestMs: 60_000 };

/** Races over HTTP. Each race borrows a track, and gives the track back at its end. */
export class Races {
  readonly #deps: RacesDeps;
  readonly #open = new Map<string, { race: OpenRace; db: Database; returned: Promise<unknown> }>();

  constructor(deps: RacesDeps) {
    this.#deps = deps;
  }

  /** The race of this id; undefined when there is none, or it has ended. */
  find(id: string): OpenRace | undefined {
    return this.#open.get(id)?.race;
  }

  /**
   * Begins a race as soon as a track is free. If the caller has `gone`, the race ends at once. `busy`
   * if no track was free in time. Throws as `Stages.use` does.
   */
  begin(strategy: Strategy, size: Size, gone: AbortSignal): Promise<OpenRace | Unanswered> {
    return new Promise((resolve, reject) => {
      const returned = this.#deps.tracks.use(async ({ db }) => {
        const race = await this.#lay(db, strategy, size);
        this.#open.set(race.id, { race, db, returned });
        gone.addEventListener('abort', () => race.end());
        if (gone.aborted) race.end();
        resolve(race);
        await race.ended;
        this.#open.delete(race.id);
        await race.still();
      });
      returned.then((unanswered) => unanswered && resolve(unanswered), reject);
    });
  }

  /** How a race stands; undefined when there is none of this id. */
  async standing(id: string): Promise<Standing | undefined> {
    const found = this.#open.get(id);
    if (!found) return undefined;
    const { db, race } = found;
    race.stir();
    return { capacity: race.capacity, claims: await countClaimsOf(db, race.rows.jobId) };
  }

  /** Ends a race, and waits until nothing is left of it. False when there is none of this id. */
  async end(id: string): Promise<boolean> {
    const found = this.#open.get(id);
    if (!found) return false;
    found.race.end();
    // A track that cannot be cleared is dropped, and the log says why.
    await found.returned.catch(() => undefined);
    return true;
  }

  async #lay(db: Database, strategy: Strategy, size: Size): Promise<OpenRace> {
    const { around = (_, claim) => claim(), patience = PATIENCE } = this.#deps;
    // Strategies remember by id, and another database has the same ids.
    const claim = strategy.restart?.() ?? strategy.claim;
    const claimAround = (request: ClaimRequest) =>
      around(request, () => settle(claim(db, request)));
    return new OpenRace(await layTrack(db, size), size.capacity, claimAround, patience);
  }
}
