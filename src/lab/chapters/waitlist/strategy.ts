import type { Database } from '../../../platform/db/client.ts';
import type { Strategy } from '../../chapter.ts';

/** One way to keep a line of recruiters: ordinary Drizzle code that knows nothing of the lab. */
export interface WaitlistStrategy extends Strategy {
  /** `line`: first come, first served, and no slot is idle while somebody waits. */
  promise: 'line' | 'nothing';
  /** The line is in production's table `waitlist`. */
  ofProduction?: true;
  /**
   * Starts a server, and returns its `change`. Only strategies that keep something in a server's
   * memory have this function.
   */
  restart?(): WaitlistStrategy['change'];
  /** Does what the request asks for. Errors of the database that it does not handle are thrown. */
  change(db: Database, request: LineRequest): Promise<Outcome>;
}

/** A request of a recruiter. */
export interface RecruiterRequest {
  /**
   * `claim`: wants a slot. `join`: wants to wait. `leave`: does not want to wait any longer.
   * `release`: gives a slot back. `accept`: accepts an offer.
   */
  kind: 'claim' | 'join' | 'leave' | 'release' | 'accept';
  jobId: bigint;
  recruiterId: bigint;
}

export type LineRequest =
  | RecruiterRequest
  /** The company changes the number of slots. */
  | { kind: 'resize'; jobId: bigint; capacity: number }
  /** The cleanup gives the slots of offers that have ended to the line. */
  | { kind: 'clean up'; jobId: bigint };

export interface Outcome {
  kind:
    | 'claimed'
    | 'full'
    /** The recruiter waits, or has an offer. */
    | 'in line'
    | 'left'
    | 'released'
    | 'accepted'
    /** The offer has ended, so nobody may accept it any more. */
    | 'lapsed'
    | 'resized'
    | 'cleaned up';
}
