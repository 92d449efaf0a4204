import type { Database } from '../../../db/client.ts';
import type { Unanswered } from '../../../waiting/admission.ts';
import type { Chapter, RaceSize, Standing } from '../../chapter.ts';
import type { Addressed } from '../../chapters/index.ts';
import type { Stages } from '../../stages/stages.ts';
import type { Recorder } from '../recorder.ts';
import type { Track } from '../track.ts';
import { OpenRace, type RacePatience } from './open-race.ts';

export interface RacesDeps {
  tracks: Stages<Track>;
  /** Stands around each request, such as to record it. */
  around?: Recorder['around'] | undefined;
  patience?: RacePatience | undefined;
}

/** A crowd of 1,000 connects within seconds, and its last request is answered within 20 seconds. */
const PATIENCE: RacePatience = { idleMs: 10_000, longestMs: 60_000 };

interface Kept {
  race: OpenRace;
  chapter: Chapter;
  db: Database;
  returned: Promise<unknown>;
}

/** Races over HTTP. Each race borrows a track, and gives the track back at its end. */
export class Races {
  readonly #deps: RacesDeps;
  readonly #open = new Map<string, Kept>();

  constructor(deps: RacesDeps) {
    this.#deps = deps;
  }

  /** The race of this id in a chapter. Undefined if there is none, or it has ended. */
  find(chapter: Chapter, id: string): OpenRace | undefined {
    const found = this.#open.get(id);
    return found?.chapter === chapter ? found.race : undefined;
  }

  /**
   * Begins a race as soon as a track is free. If the caller has `gone`, the race ends at once. `busy`
   * if no track was free in time. Throws as `Stages.use` does.
   */
  begin(asked: Addressed, size: RaceSize, gone: AbortSignal): Promise<OpenRace | Unanswered> {
    return new Promise((resolve, reject) => {
      const returned = this.#deps.tracks.use(async ({ db }) => {
        const race = await this.#lay(db, asked, size);
        this.#open.set(race.id, { race, chapter: asked.chapter, db, returned });
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

  /** How a race stands. Undefined if there is no race of this id. */
  async standing(id: string): Promise<Standing | undefined> {
    const found = this.#open.get(id);
    if (!found) return undefined;
    const { chapter, db, race } = found;
    race.stir();
    return chapter.race.count(db, race.course);
  }

  /** Ends a race, and waits until nothing is left of it. False if there is no race of this id. */
  async end(id: string): Promise<boolean> {
    const found = this.#open.get(id);
    if (!found) return false;
    found.race.end();
    // A track that cannot be cleared is dropped, and the log says why.
    await found.returned.catch(() => undefined);
    return true;
  }

  async #lay(db: Database, { chapter, strategy }: Addressed, size: RaceSize): Promise<OpenRace> {
    const { around = (_, work) => work(), patience = PATIENCE } = this.#deps;
    const course = await chapter.race.lay(db, size);
    // A strategy may remember ids, and another database has the same ids.
    const server = chapter.race.start(strategy, db);
    const ask = (request: unknown) => around(course.sessionOf(request), () => server.ask(request));
    return new OpenRace(course, ask, patience);
  }
}
