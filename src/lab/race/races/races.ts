import type { Database } from '../../../platform/db/client.ts';
import type { Unanswered } from '../../../platform/waiting/admission.ts';
import type { Chapter, RaceSize, Standing, Strategy } from '../../chapter.ts';
import type { Stages } from '../../stages/stages.ts';
import type { Recorder } from '../recorder.ts';
import type { RequestChapter } from '../report.ts';
import type { Track } from '../track.ts';
import { OpenRace, type RacePatience } from './open-race.ts';

export interface RacesDeps {
  tracks: Stages<Track>;
  /** Runs each request, and may also record the request. */
  around?: Recorder['around'] | undefined;
  patience?: RacePatience | undefined;
}

/**
 * The default time limits of a race. 1,000 sessions connect within seconds, and get their last
 * answer within 20 seconds.
 */
const PATIENCE: RacePatience = { idleMs: 10_000, longestMs: 60_000 };

/** A strategy whose race has requests. */
export interface Raced {
  chapter: RequestChapter;
  strategy: Strategy;
}

interface Kept {
  race: OpenRace;
  chapter: RequestChapter;
  db: Database;
  /** How many transactions the requests have begun. */
  transactions: () => number;
  returned: Promise<unknown>;
}

/** The result of a race, and its costs for the database. */
export interface RaceStanding extends Standing {
  transactions: number;
}

/** Races over HTTP. Each race borrows a track, and gives the track back at its end. */
export class Races {
  readonly #deps: RacesDeps;
  readonly #open = new Map<string, Kept>();

  constructor(deps: RacesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the race with this id in a chapter. Returns undefined if there is no such race, or if
   * the race has ended.
   */
  find(chapter: Chapter, id: string): OpenRace | undefined {
    const found = this.#open.get(id);
    return found?.chapter === chapter ? found.race : undefined;
  }

  /**
   * Begins a race as soon as a track is free. `gone` is aborted when the caller leaves, and then
   * the race ends immediately. Returns `busy` if no track was free in time. Throws the errors of
   * `Stages.use`.
   */
  begin(asked: Raced, size: RaceSize, gone: AbortSignal): Promise<OpenRace | Unanswered> {
    return new Promise((resolve, reject) => {
      const returned = this.#deps.tracks.use(async ({ db, begun }) => {
        const race = await this.#lay(db, asked, size);
        const before = begun();
        const transactions = () => begun() - before;
        this.#open.set(race.id, { race, chapter: asked.chapter, db, transactions, returned });
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

  /** Returns the result of a race so far. Returns undefined if there is no race with this id. */
  async standing(id: string): Promise<RaceStanding | undefined> {
    const found = this.#open.get(id);
    if (!found) return undefined;
    const { chapter, db, race, transactions } = found;
    race.stir();
    return { ...(await chapter.race.count(db, race.course)), transactions: transactions() };
  }

  /**
   * Ends a race, and waits until its track is free again. Returns false if there is no race with
   * this id.
   */
  async end(id: string): Promise<boolean> {
    const found = this.#open.get(id);
    if (!found) return false;
    found.race.end();
    // We ignore an error here. A track that cannot be cleared is dropped, and the log says why.
    await found.returned.catch(() => undefined);
    return true;
  }

  async #lay(db: Database, { chapter, strategy }: Raced, size: RaceSize): Promise<OpenRace> {
    const { around = (_, work) => work(), patience = PATIENCE } = this.#deps;
    const course = await chapter.race.lay(db, size);
    // Each race starts a new server. An old server may remember ids of another database, and the
    // new database uses the same ids.
    const server = chapter.race.start(strategy, db);
    const ask = (request: unknown) => around(course.sessionOf(request), () => server.ask(request));
    return new OpenRace(course, ask, patience);
  }
}
