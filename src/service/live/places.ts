import { event } from '../http/event-stream.ts';
import { idBody } from '../http/schemas.ts';
import type { Place } from '../waitlist/queries.ts';

/** The news about a place. `place` is null after the recruiter has left the line or has an offer. */
export type PlaceNews = Omit<Place, 'place'> & { place: number | null };

export const placeEvent = ({ jobId, recruiterId, place }: PlaceNews) =>
  event('place', { jobId: idBody(jobId), recruiterId: idBody(recruiterId), place });

/** The places that a follower knows. So the follower gets only what has changed. */
export class KnownPlaces {
  readonly #recruiterId: bigint;
  readonly #places = new Map<bigint, number>();

  constructor(recruiterId: bigint) {
    this.#recruiterId = recruiterId;
  }

  /**
   * Notes the recruiter's present places in the lines of these jobs, and returns the news. If a job
   * has no place in `present`, the recruiter does not wait for it.
   */
  hear(jobIds: ReadonlySet<bigint>, present: readonly Place[]): PlaceNews[] {
    const recruiterId = this.#recruiterId;
    const mine = new Map(present.map(({ jobId, place }) => [jobId, place]));
    const changed = [...new Set([...this.#places.keys(), ...mine.keys()])].filter(
      (jobId) => jobIds.has(jobId) && this.#places.get(jobId) !== mine.get(jobId),
    );
    return changed.map((jobId) => {
      const place = mine.get(jobId) ?? null;
      if (place === null) this.#places.delete(jobId);
      else this.#places.set(jobId, place);
      return { jobId, recruiterId, place };
    });
  }

  clear() {
    this.#places.clear();
  }
}
