import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import { type Assessment, type Ending, hasRunOut, sessionsIn, type Trial } from '../../chapter.ts';
import { faultsOf, type LineEnd } from './faults.ts';
import {
  holderOf,
  isEarlierHolder,
  JOB,
  type JobNow,
  newcomerOf,
  placeOf,
  readJob,
  recruiterInLine,
  setUp,
} from './rows.ts';
import type { Act, LineSituation } from './situations.ts';
import { sayJob } from './state.ts';
import type { LineRequest, Outcome, WaitlistStrategy } from './strategy.ts';

/** Makes a trial in which the sessions change the slots and the line of one job. */
export function waitlistTrial(
  strategy: WaitlistStrategy,
  situation: LineSituation,
  sessions: number,
): Trial {
  const { timePasses, firstRollsBack, firstFails, deaths } = situation;
  const count = sessionsIn(situation, sessions);
  let wasOversold = false;
  let hasTimePassed = false;
  /** The `change` of each server. No server remembers anything of the earlier schedule. */
  let servers: WaitlistStrategy['change'][] = [];
  const serverOf = (session: number) => {
    servers[session] ??= strategy.restart?.() ?? strategy.change;
    return servers[session];
  };
  const program = (session: number) => (db: Database) =>
    actOf(situation, session)(serverOf(session), db);
  const trial: Trial = {
    setUp(admin) {
      wasOversold = false;
      hasTimePassed = false;
      servers = [];
      return setUp(admin, situation, strategy.ofProduction === true);
    },
    async onCommit(admin) {
      const { holders, capacity } = await readJob(admin);
      wasOversold ||= holders.length > capacity;
    },
    sessions: Array.from({ length: count }, (_, index) => program(index + 1)),
    judge: (admin, endings, last) =>
      assess(admin, situation, { endings, last, wasOversold, hasTimePassed }),
  };
  if (timePasses) {
    trial.timePasses = true;
    trial.hasLeases = true;
    trial.passTime = async () => {
      hasTimePassed = true;
    };
    trial.runOut = offersRunOut;
    trial.afterwards = () => (db) => serverOf(count + 1)(db, { kind: 'clean up', jobId: JOB });
    // If time passed once more, offers of the schedule would end too.
    trial.afterwardsAtOnce = true;
  }
  if (firstRollsBack) trial.rollsBack = { session: 1, table: 'job_claims' };
  if (firstFails) trial.fails = 1;
  if (deaths) trial.deaths = deaths;
  return trial;
}

type Program = (change: WaitlistStrategy['change'], db: Database) => Promise<Outcome>;

/** Returns what a session does. */
function actOf(situation: LineSituation, session: number): Program {
  const { kind, recruiterId } = roleOf(situation, session);
  const jobId = JOB;
  const ask =
    (request: LineRequest): Program =>
    (change, db) =>
      change(db, request);
  if (kind === 'grow') return ask({ kind: 'resize', jobId, capacity: situation.capacity + 1 });
  if (kind === 'clean up') return ask({ kind, jobId });
  if (kind === 'decline') return ask({ kind: 'leave', jobId, recruiterId });
  if (kind !== 'claim or join') return ask({ kind, jobId, recruiterId });
  return async (change, db) => {
    const outcome = await change(db, { kind: 'claim', jobId, recruiterId });
    if (outcome.kind !== 'full') return outcome;
    return change(db, { kind: 'join', jobId, recruiterId });
  };
}

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

/** Returns a line for each offer that ended when time passed. */
async function offersRunOut(admin: Session): Promise<string[]> {
  const text = `select 'the offer of recruiter ' || recruiter_id || ' ends' as ends
    from job_claims where ${hasRunOut('expires_at')} order by 1`;
  const rows = await admin.run({ text, params: [], asArrays: false });
  return rows.map((row) => (row as unknown as { ends: string }).ends);
}

/** What was seen in a schedule. */
interface Seen {
  endings: Ending[];
  /** The end of the cleanup that ran afterwards. */
  last: Ending | undefined;
  wasOversold: boolean;
  hasTimePassed: boolean;
}

/** Compares the slots and the line at the end with the beginning, and with the answers. */
async function assess(
  admin: Session,
  situation: LineSituation,
  { endings, last, wasOversold, hasTimePassed }: Seen,
): Promise<Assessment> {
  const job = await readJob(admin);
  const overtaken = countOvertaken(job);
  const idle = Math.min(Math.max(0, job.capacity - job.holders.length), job.waiting.length);
  const answers = endings.map((ending, index) => ({ ...roleOf(situation, index + 1), ending }));
  const end: LineEnd = {
    isOversold: wasOversold || job.holders.length > job.capacity,
    overtaken,
    idle,
    hasLost: !job.isOtherIntact || !isEverybodyThere(job, situation, endings.length, hasTimePassed),
    isTrue:
      answers.every((answer) => isTrue(job, situation, answer, hasTimePassed)) &&
      haveOffersAnEnd(job, situation, endings) &&
      (last === undefined || kindOf(last) === 'cleaned up'),
  };
  const served = job.holders.filter(({ recruiter }) => placeOf(recruiter) !== undefined).length;
  const summary = `${sayJob(job)}${job.isOtherIntact ? '' : '; another job has changed'}`;
  return { faults: faultsOf(end), summary, counts: { served, overtaken, idle } };
}

/**
 * Counts the recruiters who waited before the first step and still wait, although a newcomer or
 * somebody behind them has a slot.
 */
function countOvertaken({ holders, waiting }: JobNow): number {
  const places = holders
    .filter(({ recruiter }) => !isEarlierHolder(recruiter))
    .map(({ recruiter }) => placeOf(recruiter) ?? Number.POSITIVE_INFINITY);
  return waiting.filter((recruiter) => {
    const place = placeOf(recruiter);
    return place !== undefined && places.some((other) => other > place);
  }).length;
}

/**
 * Whether everybody is still there. Each earlier holder and each recruiter in line must still hold a
 * slot or wait. Exceptions: recruiters who release or leave, and recruiters whose offer may have ended.
 */
function isEverybodyThere(
  job: JobNow,
  situation: LineSituation,
  sessions: number,
  hasTimePassed: boolean,
): boolean {
  const { capacity, free = 0, waiting, isOffered } = situation;
  const roles = Array.from({ length: sessions }, (_, index) => roleOf(situation, index + 1));
  const going = roles
    .filter(({ kind }) => kind === 'release' || kind === 'leave' || kind === 'decline')
    .map(({ recruiterId }) => recruiterId);
  const holders = Array.from({ length: capacity - free }, (_, index) => holderOf(index + 1));
  const line = Array.from({ length: waiting }, (_, index) => recruiterInLine(index + 1));
  const present = [...job.waiting, ...job.holders.map(({ recruiter }) => recruiter)];
  // An offer of the schedule may have ended too. Those offers went to the first in line.
  const next = line.findIndex((each) => present.includes(each));
  const ended = hasTimePassed ? [...(isOffered ? holders : []), ...line.slice(0, next)] : [];
  return [...holders, ...line].every(
    (each) => going.includes(each) || ended.includes(each) || present.includes(each),
  );
}

/**
 * Whether each offer still has an end. Nobody accepts an offer of a schedule. Of the offers before
 * the first step, only the first may be accepted.
 */
function haveOffersAnEnd(
  { holders }: JobNow,
  { isOffered }: LineSituation,
  endings: Ending[],
): boolean {
  const isAccepted = endings.some((ending) => kindOf(ending) === 'accepted');
  return holders.every(({ recruiter, isOffered: hasEnd }) => {
    if (placeOf(recruiter) !== undefined) return hasEnd;
    if (!isOffered || !isEarlierHolder(recruiter)) return true;
    return hasEnd !== (isAccepted && recruiter === holderOf(1));
  });
}

/** The answers that an act may get. */
const ANSWERS: Readonly<Record<Act, readonly Outcome['kind'][]>> = {
  claim: ['claimed', 'full'],
  'claim or join': ['claimed', 'in line'],
  release: ['released'],
  leave: ['left'],
  decline: ['left'],
  accept: ['accepted', 'lapsed'],
  grow: ['resized'],
  'clean up': ['cleaned up'],
};

const kindOf = (ending: Ending) =>
  'value' in ending ? (ending.value as Outcome | undefined)?.kind : undefined;

interface Answer {
  kind: Act;
  recruiterId: bigint;
  ending: Ending;
}

/** Whether the job agrees with the answer to a session. An error is a fault of its own. */
function isTrue(
  job: JobNow,
  situation: LineSituation,
  { kind, recruiterId, ending }: Answer,
  hasTimePassed: boolean,
): boolean {
  if (!('value' in ending)) return true;
  const answer = kindOf(ending);
  if (!answer || !ANSWERS[kind].includes(answer)) return false;
  const holder = job.holders.find(({ recruiter }) => recruiter === recruiterId);
  const isWaiting = job.waiting.includes(recruiterId);
  switch (answer) {
    case 'claimed':
    case 'accepted':
      return holder !== undefined && !holder.isOffered;
    case 'full':
      // If all sessions claim, nobody frees a slot after the answer.
      return (
        !holder &&
        (job.holders.length >= job.capacity || situation.acts.some((act) => act !== 'claim'))
      );
    case 'in line':
      return isWaiting || holder !== undefined;
    case 'lapsed':
      return hasTimePassed && !holder && !isWaiting;
    case 'left':
    case 'released':
      return !holder && !isWaiting;
    case 'resized':
      return job.capacity === situation.capacity + 1;
    case 'cleaned up':
      return true;
  }
}
