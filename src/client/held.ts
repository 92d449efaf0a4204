import type { HeldClaim } from './follow/follow.ts';
import type { Id } from './operations.ts';

/**
 * How many ended claims are remembered. An answer may come some minutes after the end of its claim,
 * because a request without an answer is repeated. A recruiter ends fewer claims in this time.
 */
const REMEMBERED = 1_000;

/**
 * The claims of a recruiter, from the stream and from the answers to the recruiter's own requests.
 * The answer about a change may come before the event of the change, or after this event. Each claim
 * has its own id. So late news does not bring back an ended claim.
 */
export class HeldClaims {
  /** The claims of the stream, by job. */
  #told = new Map<Id, HeldClaim>();
  /** The claims that only an answer has told, by job. */
  readonly #answered = new Map<Id, HeldClaim>();
  /** The ids of the claims that ended last, the oldest first. */
  readonly #over = new Set<Id>();

  /** The claim on the job. */
  on(jobId: Id): HeldClaim | undefined {
    return this.#answered.get(jobId) ?? this.#told.get(jobId);
  }

  /** Takes news of the stream: all claims as they are now, and the ids of the changed claims. */
  tell(all: ReadonlyMap<Id, HeldClaim>, changed: readonly Id[]) {
    const held = [...all.values()].filter(({ id }) => !this.#over.has(id));
    this.#told = new Map(held.map((claim) => [claim.jobId, claim]));
    this.forget(this.untold().filter(({ id }) => all.has(id) || changed.includes(id)));
    for (const id of changed) if (!all.has(id)) this.#noteEnd(id);
  }

  /** The service has answered that the claim is granted. */
  begin(claim: HeldClaim) {
    if (this.#over.has(claim.id) || this.#told.get(claim.jobId)?.id === claim.id) return;
    this.#answered.set(claim.jobId, claim);
  }

  /** The service has answered that the claim is over. */
  end({ id, jobId }: HeldClaim) {
    for (const claims of [this.#answered, this.#told])
      if (claims.get(jobId)?.id === id) claims.delete(jobId);
    this.#noteEnd(id);
  }

  /** The claims that only an answer has told. */
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
