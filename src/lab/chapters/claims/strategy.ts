import type { Database } from '../../../platform/db/client.ts';
import type { ClaimRequest, Outcome } from '../../../service/claims/rules.ts';
import type { Strategy } from '../../chapter.ts';

/** One way to claim a slot: ordinary Drizzle code that knows nothing of the lab. */
export interface ClaimStrategy extends Strategy {
  /** `capacity`: a job never has more claims than slots, in any schedule. */
  promise: 'capacity' | 'nothing';
  /**
   * Something in the strategy, such as a lease, ends when time passes. So the explorer also lets
   * time pass.
   */
  timed?: true;
  /**
   * The strategy decides several claims together. So the strategy is also tried in a situation in
   * which two recruiters ask each server at the same time.
   */
  batched?: true;
  /**
   * All sessions run in one process and share its memory. By default, each session has a process of
   * its own.
   */
  isOneProcess?: true;
  /**
   * The strategy is a program that answers HTTP. If the trial rolled a transaction back, the
   * program would see an error like its own errors. So the trial rolls nothing back.
   */
  isProgram?: true;
  /** The limit in the code of a program. Undefined if the program reads the capacity of the job. */
  capacity?: number;
  /**
   * Starts new servers, and returns their `claim`. The trial calls this before each schedule. Only
   * strategies that keep something in a server's memory have this function.
   */
  restart?(): ClaimStrategy['claim'];
  /** Claims a slot. Errors of the database that the strategy does not handle are thrown. */
  claim(db: Database, request: ClaimRequest): Promise<Outcome>;
}
