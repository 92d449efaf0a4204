import type { Session } from '../../../platform/db/session.ts';
import type { Mark, ShownState } from '../../chapter.ts';
import { type JobNow, readJob, sessionOf } from './rows.ts';

/**
 * The SQL expressions that build the name of a locked row, by table. The list of locks on the page
 * shows these names.
 */
export const lockable: Readonly<Record<string, string>> = {
  jobs: "'job ' || id",
  job_claims: "'claim of recruiter ' || recruiter_id",
  recruiters: "'recruiter ' || id",
  companies: "'company ' || id",
  waitlist: "'place of recruiter ' || recruiter_id",
  'lab_waitlist.waitlist': "'place of recruiter ' || recruiter_id",
};

/** Reads the committed slots as marks, and the line as words. */
export async function readState(admin: Session): Promise<ShownState> {
  const job = await readJob(admin);
  const { capacity, holders, waiting, taken } = job;
  const places = Math.max(capacity, holders.length);
  const isIdle = taken < capacity && waiting.length > 0;
  return {
    marks: Array.from({ length: places }, (_, index) => markOf(job, index)),
    summary: `${counted(holders.length, 'claim')} committed, ${counted(capacity, 'slot')}`,
    detail: sayPeople(job).join('; ') || 'nobody holds a slot, and nobody waits',
    isWrong: holders.length > capacity || isIdle,
  };
}

/** Says who holds the slots and who waits, in one line. */
export const sayJob = (job: JobNow): string =>
  [
    `${counted(job.holders.length, 'claim')}, ${counted(job.capacity, 'slot')}`,
    ...sayPeople(job),
  ].join('; ');

function markOf({ capacity, holders }: JobNow, index: number): Mark {
  const holder = holders[index];
  const isExcess = index >= capacity;
  if (!holder) return { by: 'nobody', isExcess };
  const { recruiter, isOffered } = holder;
  return {
    by: sessionOf(recruiter) ?? 'earlier',
    ...(isOffered && { label: 'offered' }),
    isExcess,
  };
}

/** Returns who holds a slot, who has an offer, and who waits. Leaves out empty groups. */
function sayPeople({ holders, waiting }: JobNow): string[] {
  const ids = (isOffered: boolean) =>
    holders.filter((each) => each.isOffered === isOffered).map(({ recruiter }) => recruiter);
  return Object.entries({
    'held by': ids(false),
    'offered to': ids(true),
    'in line:': waiting,
  }).flatMap(([what, recruiters]) =>
    recruiters.length > 0 ? [`${what} ${names(recruiters)}`] : [],
  );
}

/** The maximum number of recruiters whom a text names. */
const MOST_NAMED = 4;

function names(recruiters: bigint[]): string {
  const named = recruiters.slice(0, MOST_NAMED).join(', ');
  const more = recruiters.length - MOST_NAMED;
  const noun = recruiters.length === 1 ? 'recruiter' : 'recruiters';
  return `${noun} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns a number with its noun, such as `1 slot` or `2 slots`. */
export const counted = (many: number, what: string): string =>
  `${many} ${what}${many === 1 ? '' : 's'}`;
