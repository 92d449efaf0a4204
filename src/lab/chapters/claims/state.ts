import type { Session } from '../../../platform/db/session.ts';
import type { Mark, ShownState } from '../../chapter.ts';
import { JOB, LAST_SESSION } from './rows.ts';

/**
 * The SQL expressions that build the name of a locked row, by table. The list of locks on the page
 * shows these names.
 */
export const lockable: Readonly<Record<string, string>> = {
  jobs: "'job ' || id",
  job_claims: "'claim of recruiter ' || recruiter_id",
  recruiters: "'recruiter ' || id",
  companies: "'company ' || id",
  'lab_claims.counters': "'counter of job ' || job_id",
  'lab_claims.slots': "'slot ' || slot || ' of job ' || job_id",
  'lab_claims.taken_slots': "'taken slot ' || slot || ' of job ' || job_id",
  'lab_claims.leases': "'lease of job ' || job_id",
};

/**
 * Reads the committed claims as marks, such as ●●●○. Claims above the capacity are marked as
 * excess.
 */
export async function readState(admin: Session): Promise<ShownState> {
  const [row] = await admin.run({ text: STATE, params: [JOB], asArrays: false });
  const { capacity, holders } = row as { capacity: number; holders: number[] };
  const places = Math.max(capacity, holders.length);
  return {
    marks: Array.from({ length: places }, (_, index) => markOf(holders[index], index >= capacity)),
    summary: `${counted(holders.length, 'claim')} committed, ${counted(capacity, 'slot')}`,
    detail: sayHolders(holders),
    isWrong: holders.length > capacity,
  };
}

/** Selects the capacity, and the ids of the holders in the order of their claims. */
const STATE = `select capacity, (
    select coalesce(json_agg(recruiter_id order by id), '[]') from job_claims where job_id = jobs.id
  ) as holders from jobs where id = $1`;

function markOf(holder: number | undefined, isExcess: boolean): Mark {
  if (holder === undefined) return { by: 'nobody', isExcess };
  return { by: holder <= LAST_SESSION ? holder : 'earlier', isExcess };
}

function sayHolders(holders: number[]): string {
  if (holders.length === 0) return 'Nobody holds the job.';
  const earlier = holders.filter((holder) => holder > LAST_SESSION).length;
  const playing = holders.filter((holder) => holder <= LAST_SESSION);
  return [
    ...(earlier ? [`${earlier} from before`] : []),
    ...playing.map((holder) => `Recruiter ${holder}`),
  ].join(', ');
}

/** Returns a number with its noun, such as `1 slot` or `2 slots`. */
export const counted = (many: number, what: string): string =>
  `${many} ${what}${many === 1 ? '' : 's'}`;
