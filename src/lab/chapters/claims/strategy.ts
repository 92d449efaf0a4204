import type { ClaimRequest, Outcome } from '../../../claims/rules.ts';
import type { Database } from '../../../db/client.ts';

/** One way to claim a slot: ordinary Drizzle code that knows nothing of the lab. */
export interface Strategy {
  /** Its name in routes and on command lines, such as `row-lock`. */
  name: string;
  /** How it works, in a line. */
  idea: string;
  /** `capacity`: never more claims than slots, in any schedule. `nothing`: it does not say so. */
  promise: 'capacity' | 'nothing';
  /** Something in it ends by time alone, so the explorer lets time pass as well. */
  timed?: true;
  /** `claim` on servers that have just started, for a strategy that keeps something in their memory. */
  restart?(): Strategy['claim'];
  /** Claims; database errors are thrown as they come. */
  claim(db: Database, request: ClaimRequest): Promise<Outcome>;
}
