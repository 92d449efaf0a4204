import type { HeldClaim } from './follow/follow.ts';
import type { Id } from './operations.generated.ts';

/**
 * The maximum number of ended claims that the client remembers. The client repeats a request
 * without an answer, so the answer may come some minutes after the end of the claim. In this time,
 * a recruiter ends fewer claims than this number.
 */
const REMEMBERED = 1_000;

/**
 * Keeps the claims of a recruiter. The claims come from the stream and from the answers to the
 * recruiter's own requests. The answer about a change may come before or after the event of the
 * change. The client remembers the ids of ended claims, so a late event does not bring an ended
 * claim back.
 */
export class HeldClaims {
  /** The claims that the stream has sent, by job. */
  #told = new Map<Id, HeldClaim>();
  /** The claims that are known from an answer alone, by job. */
  readonly #answered = new Map<Id, HeldClaim>();
  /** The ids of the claims that ended last, the oldest first. */
  readonly #over = new Set<Id>();

  /** Returns the claim on the job. */
  on(jobId: Id): HeldClaim | undefined {
    return this.#answered.get(jobId) ?? this.#told.get(jobId);
  }

  /** Takes over the state of the stream: all present claims, and the ids of the changed claims. */
  tell(all: ReadonlyMap<Id, HeldClaim>, changed: readonly Id[]) {
    const held = [...all.values()].filter(({ id }) => !this.#over.has(id));
    this.#told = new Map(held.map((claim) => [claim.jobId, claim]));
    this.forget(this.untold().filter(({ id }) => all.has(id) || changed.includes(id)));
    for (const id of changed) if (!all.has(id)) this.#noteEnd(id);
  }

  /** Adds a claim, because the service has answered that the claim is granted. */
  begin(claim: HeldClaim) {
    if (this.#over.has(claim.id) || this.#told.get(claim.jobId)?.id === claim.id) return;
    this.#answered.set(claim.jobId, claim);
  }

  /** Removes a claim, because the service has answered that the claim is over. */
  end({ id, jobId }: HeldClaim) {
    for (const claims of [this.#answered, this.#told])
      if (claims.get(jobId)?.id === id) claims.delete(jobId);
    this.#noteEnd(id);
  }

  /** Returns the claims that are known from an answer alone. */
  untold(): HeldClaim[] {
    return [...this.#answered.values()];
  }

  forget(untold: readonly HeldClaim[]) {
    for (const claim of untold)
      if (this.#answered.get(claim.jobId) === claim) this.#answered.delete(claim.jobId);
  }

  #noteEnd(id: Id) {
    this.#over.add(id);
    for (const oldest of this.#over) {
      if (this.#over.size <= REMEMBERED) return;
      this.#over.delete(oldest);
    }
  }
}
