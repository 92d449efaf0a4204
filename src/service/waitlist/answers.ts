import { answers } from '../claims/answers.ts';
import type { Problem } from '../http/problem.ts';
import { idBody, instantBody } from '../http/schemas.ts';
import type { JoinOutcome, LeaveOutcome } from './line.ts';
import type { Entry } from './queries.ts';
import { MOST_LINES } from './rules.ts';

/** The problem for each outcome that refuses a request. */
export const refusals = {
  'already-claimed': answers.duplicate,
  'no-such-job': answers['no-such-job'],
  'no-such-recruiter': answers['no-such-recruiter'],
  'waitlist-closed': {
    status: 403,
    code: 'waitlist-closed',
    title: 'The waitlist is closed',
    detail: 'The company has closed the waitlist of this job. Nothing was changed.',
  },
  'waitlist-full': {
    status: 403,
    code: 'waitlist-full',
    title: 'The waitlist is full',
    detail: 'No more recruiters may wait for this job now. Nothing was changed.',
  },
  'too-many-lines': {
    status: 403,
    code: 'too-many-lines',
    title: 'Too many waitlists',
    detail: `This recruiter is in ${MOST_LINES} lines already. Nothing was changed.`,
  },
  'not-in-line': {
    status: 404,
    code: 'not-in-line',
    title: 'Not in line',
    detail: 'This recruiter is not in the line of this job. An offer may have lapsed.',
  },
} as const satisfies Record<
  Exclude<JoinOutcome['kind'] | LeaveOutcome['kind'], 'in-line' | 'claimed' | 'left'>,
  Problem
>;

export const entryBody = (entry: Entry) => ({
  jobId: idBody(entry.jobId),
  recruiterId: idBody(entry.recruiterId),
  recruiterName: entry.recruiterName,
  joinedAt: entry.joinedAt.toISOString(),
  place: entry.place,
  offer:
    entry.claimId === null
      ? null
      : { claimId: idBody(entry.claimId), expiresAt: instantBody(entry.expiresAt) },
});
