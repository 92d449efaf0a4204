import type { HeldClaim } from './follow/follow.ts';
import type { Id } from './operations.ts';

/**
 * The claims of a recruiter, from the stream and from the answers to the recruiter's own requests.
 * An answer may come before the event of its change, or after it. Each claim has its own id. So an
 * event that comes late does not bring back a released claim.
 */
export class HeldClaims {
  /** The claims of the stream, by job. */
  #told: ReadonlyMap<Id, HeldClaim> = new Map();
  /** The claims that only an answer has told, by job. */
  readonly #answered = new Map<Id, HeldClaim>();
  /** The ids of the claims that have ended. */
  readonly #over = new Set<Id>();

  /** The claim on the job. */
  on(jobId: Id): HeldClaim | undefined {
    const claims = [this.#answered.get(jobId), this.#told.get(jobId)];
    return claims.find((claim) => claim && !this.#over.has(claim.id));
  }

  /** The stream has told all claims as they are now, and the ids of the changed claims. */
  tell(all: ReadonlyMap<Id, HeldClaim>, changed: readonly Id[]) {
    this.#told = new Map([...all.values()].map((claim) => [claim.jobId, claim]));
    this.forget(this.untold().filter(({ id }) => all.has(id)));
    for (const id of changed) if (!all.has(id)) this.#over.add(id);
  }

  /** The service has answered that the claim is granted. */
  begin(claim: HeldClaim) {
    if (this.#told.get(claim.jobId)?.id !== claim.id) this.#answered.set(claim.jobId, claim);
  }

  /** The service has answered that the claim is over. */
  end({ id }: HeldClaim) {
    this.#over.add(id);
  }

  /** The claims that only an answer has told. */
  untold(): HeldClaim[] {
    return [...this.#answered.values()];
  }

  forget(untold: readonly HeldClaim[]) {
    for (const claim of untold)
      if (this.#answered.get(claim.jobId) === claim) this.#answered.delete(claim.jobId);
  }
}
