import type { Situation } from '../../chapter.ts';
import type { ClaimStrategy } from './strategy.ts';

export interface ClaimSituation extends Situation {
  /** The number of slots of the job. */
  capacity: number;
  /** The number of slots that are taken before the first step. */
  taken: number;
  /** There is no other job. If no slot is taken either, there are no claims at all. */
  isOnlyJob?: true;
  /** The ids are large. No id appears in two tables. The askers also hold other jobs. */
  hasLargeIds?: true;
  /** Time may pass, but only for strategies that are `timed`. */
  timePasses?: true;
  /**
   * Each session is a server. Two recruiters ask each server at the same time. A recruiter who
   * receives `full` asks once more.
   */
  onServers?: true;
  /** The first transaction of session 1 that writes to `job_claims` rolls back. */
  firstRollsBack?: true;
  /**
   * A statement of session 1 may fail, as at a timeout. The recruiter asks again after an error, and
   * after `busy` or `unknown`. After the end of the session, another recruiter claims.
   */
  firstFails?: true;
  /** After the rollback, the recruiter of this transaction claims once more. */
  asksAgain?: true;
  /**
   * Session 2 releases a slot. A recruiter who receives `full` or `busy` waits for the release, and
   * asks again.
   */
  releases?: true;
  /**
   * Session 2 adds a slot. A recruiter who receives `full` or `busy` waits for the slot, and asks
   * again.
   */
  raises?: true;
  /** Session 2 adds a slot, and then claims. Nobody asks again. */
  raisesAndClaims?: true;
  /**
   * After the claim of session 1, session 2 releases this claim. Then the same recruiter asks again.
   */
  takesBack?: true;
  /** The job is not there. */
  isMissing?: true;
  /** There are two jobs with the same numbers of slots. Session 2 claims the second job. */
  hasTwoJobs?: true;
  /** All sessions are requests of the same recruiter. */
  sameRecruiter?: true;
  /**
   * After the end of all sessions, two other recruiters claim, one after the other. At least the
   * second recruiter finds the job full.
   */
  othersAsk?: true;
}

/** Whether session 2 adds a slot to the job. */
export const addsSlot = ({ raises, raisesAndClaims }: ClaimSituation): boolean =>
  raises === true || raisesAndClaims === true;

type Situations = readonly [ClaimSituation, ...ClaimSituation[]];

/**
 * A situation that exposes strategies that lock claims or another job. An empty board has no such
 * rows, so these strategies lock nothing.
 */
const firstSlot: ClaimSituation = {
  name: 'first-slot',
  idea: 'a new job with one slot, on an empty board',
  capacity: 1,
  taken: 0,
  isOnlyJob: true,
};

const withoutRollback: Situations = [
  { name: 'last-slot', idea: 'one slot is left', capacity: 4, taken: 3, timePasses: true },
  firstSlot,
  { name: 'two-slots', idea: 'a slot for each', capacity: 4, taken: 2, suspect: 'unsold' },
];

const sameRecruiter: ClaimSituation = {
  name: 'same-recruiter',
  idea: 'two slots are left, one recruiter asks twice, and afterwards two others ask',
  capacity: 4,
  taken: 2,
  sessions: 2,
  sameRecruiter: true,
  othersAsk: true,
  suspect: 'unsold',
};

/**
 * A situation that exposes strategies that refuse a claim because the job was full earlier. The
 * slot is free again, and nobody else wants the slot.
 */
const freed: ClaimSituation = {
  name: 'freed',
  idea: 'the job is full, one releases a slot, and the other asks again',
  capacity: 4,
  taken: 4,
  releases: true,
  suspect: 'unsold',
};

/**
 * A situation that exposes strategies that take every error for a full job, or keep a lock after an
 * error.
 */
const failing: ClaimSituation = {
  name: 'failing',
  idea: 'a statement fails, its recruiter asks again, and afterwards another asks',
  capacity: 4,
  taken: 2,
  sessions: 1,
  firstFails: true,
  suspect: 'unsold',
};

/**
 * Situations that expose strategies that work only on a small board where nothing else happens: they
 * lock a row that has the job's id by chance, compare numbers as text, round large ids, write to
 * every job, lock a second job, or remember what was true a moment ago.
 */
const inLife = [
  {
    name: 'in-life',
    idea: 'one slot is left, and the ids are large, among other jobs',
    capacity: 5,
    taken: 4,
    hasLargeIds: true,
  },
  {
    name: 'twelve-slots',
    idea: 'nine of twelve slots are taken, the ids are large, and afterwards two others ask',
    capacity: 12,
    taken: 9,
    hasLargeIds: true,
    othersAsk: true,
    suspect: 'unsold',
  },
  {
    name: 'two-jobs',
    idea: 'two jobs have one slot left each, and one recruiter claims each',
    capacity: 4,
    taken: 3,
    sessions: 2,
    hasTwoJobs: true,
    suspect: 'deadlock',
  },
  {
    name: 'raised',
    idea: 'the job is full, one more slot is added, and the other asks again',
    capacity: 3,
    taken: 3,
    sessions: 2,
    raises: true,
    suspect: 'unsold',
  },
  {
    name: 'one-more',
    idea: 'one slot is left, and one more slot is added and claimed',
    capacity: 4,
    taken: 3,
    sessions: 2,
    raisesAndClaims: true,
    suspect: 'unsold',
  },
  {
    name: 'taken-back',
    idea: 'a claim is released, and its recruiter asks again',
    capacity: 4,
    taken: 2,
    sessions: 2,
    takesBack: true,
    suspect: 'unsold',
  },
  {
    name: 'missing',
    idea: 'the job is not there',
    capacity: 4,
    taken: 0,
    sessions: 2,
    hasLargeIds: true,
    isMissing: true,
    suspect: 'untrue',
  },
] as const satisfies readonly ClaimSituation[];

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
  failing,
  ...inLife,
];

const twoServers: ClaimSituation = {
  name: 'two-servers',
  idea: 'one slot is left, two ask each server, and ask again when it is full',
  capacity: 4,
  taken: 3,
  sessions: 2,
  onServers: true,
};

export function situationsOf({
  batched,
  isProgram,
  capacity,
}: Pick<ClaimStrategy, 'batched' | 'isProgram' | 'capacity'>): Situations {
  if (isProgram) return capacity === undefined ? withoutRollback : withCapacity(capacity);
  return batched ? [...situations, twoServers] : situations;
}

function withCapacity(capacity: number): Situations {
  const [first, ...others] = withoutRollback.filter((each) => each.capacity === capacity);
  if (!first) throw new Error(`no situation has a job with ${capacity} slots`);
  return [first, ...others];
}
