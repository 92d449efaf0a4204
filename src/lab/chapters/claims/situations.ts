import type { Situation } from '../../chapter.ts';
import type { ClaimStrategy } from './strategy.ts';

export interface ClaimSituation extends Situation {
  /** Slots of the job. */
  capacity: number;
  /** Slots that are taken before the first step. */
  taken: number;
  /** Time may pass, but only for strategies that are `timed`. */
  timePasses?: true;
  /**
   * Each session is a server. Two recruiters ask each server at once. A recruiter who is told that
   * the job is full asks once more.
   */
  onServers?: true;
  /** The first transaction of session 1 that writes to `job_claims` rolls back. */
  firstRollsBack?: true;
  /** After the rollback, the recruiter of this transaction claims once more. */
  asksAgain?: true;
  /**
   * Session 2 releases a slot. A recruiter who is told `full` or `busy` waits for the release, and asks
   * again.
   */
  releases?: true;
  /** All sessions are requests of one recruiter. Afterwards another recruiter asks. */
  sameRecruiter?: true;
}

type Situations = readonly [ClaimSituation, ...ClaimSituation[]];

const withoutRollback: Situations = [
  { name: 'last-slot', idea: 'one slot is left', capacity: 4, taken: 3, timePasses: true },
  { name: 'first-slot', idea: 'a new job with one slot', capacity: 1, taken: 0 },
  { name: 'two-slots', idea: 'a slot for each', capacity: 4, taken: 2, suspect: 'unsold' },
];

const sameRecruiter: ClaimSituation = {
  name: 'same-recruiter',
  idea: 'two slots are left, one recruiter asks twice, and afterwards another asks',
  capacity: 4,
  taken: 2,
  sessions: 2,
  sameRecruiter: true,
  suspect: 'unsold',
};

/** A look that refuses wrongly shows here: the slot is free, and nobody else wants it. */
const freed: ClaimSituation = {
  name: 'freed',
  idea: 'the job is full, one releases a slot, and the other asks again',
  capacity: 4,
  taken: 4,
  releases: true,
  suspect: 'unsold',
};

export const situations: Situations = [
  ...withoutRollback,
  {
    name: 'rollback',
    idea: 'one slot is left, one rolls back',
    capacity: 4,
    taken: 3,
    firstRollsBack: true,
    suspect: 'unsold',
  },
  {
    name: 'rollback-again',
    idea: 'one slot is left, one rolls back and asks again',
    capacity: 4,
    taken: 3,
    firstRollsBack: true,
    asksAgain: true,
  },
  sameRecruiter,
  freed,
];

const twoServers: ClaimSituation = {
  name: 'two-servers',
  idea: 'one slot is left, two ask each server, and ask again when it is full',
  capacity: 4,
  taken: 3,
  onServers: true,
};

export function situationsOf({
  batched,
  isProgram,
}: Pick<ClaimStrategy, 'batched' | 'isProgram'>): Situations {
  if (isProgram) return withoutRollback;
  return batched ? [...situations, twoServers] : situations;
}
