import type { Session } from '../../../platform/db/session.ts';
import type { Assessment, Ending } from '../../chapter.ts';
import { faultsOf, type LineEnd } from './faults.ts';
import {
  holderOf,
  isEarlierHolder,
  type JobNow,
  placeOf,
  readJob,
  recruiterInLine,
} from './rows.ts';
import { type Act, type LineSituation, roleOf } from './situations.ts';
import { sayJob } from './state.ts';
import type { Outcome } from './strategy.ts';

/** What was seen in a schedule. */
interface Seen {
  endings: Ending[];
  /** The end of the cleanup that ran afterwards. */
  last: Ending | undefined;
  wasOversold: boolean;
  hasTimePassed: boolean;
}

/** Compares the slots and the line at the end with the beginning, and with the answers. */
export async function assess(
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
