import type { Situation } from '../../chapter.ts';
import { holderOf, type JobBefore, newcomerOf, recruiterInLine } from './rows.ts';

/** What a session does. */
export type Act =
  /** A newcomer wants a slot. */
  | 'claim'
  /** A newcomer wants a slot, and joins the line if the job is full. */
  | 'claim or join'
  /** A holder gives the slot back. */
  | 'release'
  /** The first in line leaves. */
  | 'leave'
  /** The first recruiter who has an offer accepts it. */
  | 'accept'
  /** The first recruiter who has an offer declines it. */
  | 'decline'
  /** The company adds a slot. */
  | 'grow'
  /** The cleanup gives the slots of offers that have ended to the line. */
  | 'clean up';

export interface LineSituation extends Situation, JobBefore {
  /** The acts of the sessions, in their order. If there are more sessions, the acts begin again. */
  acts: readonly [Act, ...Act[]];
  /** Time may pass, so an offer may end. The cleanup runs after the end of all sessions. */
  timePasses?: true;
  /** The first transaction of session 1 that writes to `job_claims` rolls back. */
  firstRollsBack?: true;
  /** How many sessions may die in a schedule. */
  deaths?: number;
  /** A statement of session 1 may fail, as at a timeout. */
  firstFails?: true;
}

export const situations: readonly [LineSituation, ...LineSituation[]] = [
  {
    name: 'newcomer',
    idea: 'one waits, and a release meets a newcomer',
    capacity: 1,
    waiting: 1,
    sessions: 2,
    acts: ['release', 'claim'],
    suspect: 'overtaken',
  },
  {
    name: 'two-releases',
    idea: 'three wait, and two slots are released at once',
    capacity: 2,
    waiting: 3,
    sessions: 2,
    acts: ['release', 'release'],
    suspect: 'idle',
  },
  {
    name: 'rollback',
    idea: 'three wait, two slots are released at once, and one release rolls back',
    capacity: 2,
    waiting: 3,
    sessions: 2,
    acts: ['release', 'release'],
    firstRollsBack: true,
    suspect: 'overtaken',
  },
  {
    name: 'lost-wakeup',
    idea: 'nobody waits, and one joins while the only slot is released',
    capacity: 1,
    waiting: 0,
    sessions: 2,
    acts: ['release', 'claim or join'],
    suspect: 'idle',
  },
  {
    name: 'joining',
    idea: 'one waits, and another joins while the only slot is released',
    capacity: 1,
    waiting: 1,
    sessions: 2,
    acts: ['release', 'claim or join'],
    suspect: 'overtaken',
  },
  {
    name: 'leaving',
    idea: 'two wait, the first leaves, and a slot is added',
    capacity: 1,
    waiting: 2,
    sessions: 2,
    acts: ['grow', 'leave'],
    suspect: 'idle',
  },
  {
    name: 'growing',
    idea: 'one waits, a slot is added, and a newcomer comes',
    capacity: 1,
    waiting: 1,
    sessions: 2,
    acts: ['grow', 'claim'],
    suspect: 'overtaken',
  },
  {
    name: 'two-slots',
    idea: 'nobody waits, two slots are free, and two newcomers come at once',
    capacity: 2,
    free: 2,
    waiting: 0,
    sessions: 2,
    acts: ['claim', 'claim'],
    suspect: 'untrue',
  },
  {
    name: 'last-slot',
    idea: 'nobody waits, the only slot is free, and two newcomers come at once',
    capacity: 1,
    free: 1,
    waiting: 0,
    sessions: 2,
    acts: ['claim', 'claim'],
    suspect: 'oversold',
  },
  {
    name: 'lapse',
    idea: 'an offer may end while its recruiter accepts, one waits, and a newcomer comes',
    capacity: 1,
    waiting: 1,
    isOffered: true,
    sessions: 2,
    acts: ['accept', 'claim'],
    timePasses: true,
    suspect: 'overtaken',
  },
  {
    name: 'cleanup',
    idea: 'an offer may end while the cleanup runs, one waits, and a newcomer comes',
    capacity: 1,
    waiting: 1,
    isOffered: true,
    sessions: 2,
    acts: ['clean up', 'claim'],
    timePasses: true,
    suspect: 'overtaken',
  },
  {
    name: 'declining',
    idea: 'an offer may end while its recruiter declines, two wait, and a newcomer comes',
    capacity: 1,
    waiting: 2,
    isOffered: true,
    sessions: 2,
    acts: ['decline', 'claim'],
    timePasses: true,
    suspect: 'overtaken',
  },
  {
    name: 'two-offers',
    idea: 'two offers may end while one is accepted and the cleanup runs, and three wait',
    capacity: 2,
    waiting: 3,
    isOffered: true,
    sessions: 2,
    acts: ['clean up', 'accept'],
    timePasses: true,
    suspect: 'idle',
  },
  {
    name: 'failing',
    idea: 'one waits, a slot is released, and a statement of the release may fail',
    capacity: 1,
    waiting: 1,
    sessions: 1,
    acts: ['release'],
    firstFails: true,
    suspect: 'idle',
  },
  {
    name: 'crash',
    idea: 'one waits, a slot is released, and the server may die in each gap',
    capacity: 1,
    waiting: 1,
    sessions: 1,
    acts: ['release'],
    deaths: 1,
    suspect: 'idle',
  },
];

/** Many release, and as many newcomers come. */
export const crowdOf = (capacity: number, waiting: number): LineSituation => ({
  name: 'crowd',
  idea: 'all slots are taken, many wait, and holders and newcomers come at once',
  capacity,
  waiting,
  acts: ['release', 'claim'],
});

/** Returns the act of a session, and the recruiter who acts. */
export function roleOf(
  { acts, capacity, free = 0 }: LineSituation,
  session: number,
): { kind: Act; recruiterId: bigint } {
  const kind = acts[(session - 1) % acts.length] as Act;
  const before = Array.from({ length: session - 1 }, (_, index) => acts[index % acts.length]);
  const earlier = before.filter((each) => each === kind).length;
  if (kind === 'leave') return { kind, recruiterId: recruiterInLine(1) };
  if (kind === 'accept' || kind === 'decline') return { kind, recruiterId: holderOf(1) };
  if (kind === 'release' && earlier < capacity - free)
    return { kind, recruiterId: holderOf(earlier + 1) };
  // If each holder releases already, further sessions are newcomers.
  return { kind: kind === 'release' ? 'claim' : kind, recruiterId: newcomerOf(session) };
}
