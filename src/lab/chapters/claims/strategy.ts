import type { ClaimRequest, Outcome } from '../../../claims/rules.ts';
import type { Database } from '../../../db/client.ts';
import type { Strategy } from '../../chapter.ts';

/** One way to claim a slot: ordinary Drizzle code that knows nothing of the lab. */
export interface ClaimStrategy extends Strategy {
  /** `capacity`: never more claims than slots, in any schedule. */
  promise: 'capacity' | 'nothing';
  /**
   * Something in the strategy, such as a lease, ends by time alone. So the explorer also lets time
   * pass.
   */
  timed?: true;
  /**
   * The strategy decides several claims together. So it is also tried in a situation in which two
   * recruiters ask each server at once.
   */
  batched?: true;
  /**
   * The strategy is a program that answers HTTP. The program cannot tell a rollback by the trial from an
   * error of its own, so the trial rolls nothing back.
   */
  isProgram?: true;
  /**
   * Starts new servers, and returns `claim` on them, before each schedule. For strategies that keep
   * something in a server's memory.
   */
  restart?(): ClaimStrategy['claim'];
  /** Claims a slot. Errors of the database that the strategy does not handle are thrown. */
  claim(db: Database, request: ClaimRequest): Promise<Outcome>;
}
