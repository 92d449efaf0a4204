import type { ClaimRequest, Outcome } from '../../../claims/rules.ts';
import type { Database } from '../../../db/client.ts';
import type { Strategy } from '../../chapter.ts';

/** One way to claim a slot: ordinary Drizzle code that knows nothing of the lab. */
export interface ClaimStrategy extends Strategy {
  /** `capacity`: never more claims than slots, in any schedule. */
  promise: 'capacity' | 'nothing';
  /** Something in it ends by time alone, so the explorer lets time pass as well. */
  timed?: true;
  /** Decides claims together, so the explorer also lets several recruiters ask each server at once. */
  batched?: true;
  /** `claim` on servers that have just started, for a strategy that keeps something in their memory. */
  restart?(): ClaimStrategy['claim'];
  /** Claims a slot. Throws the errors of the database as they come. */
  claim(db: Database, request: ClaimRequest): Promise<Outcome>;
}
