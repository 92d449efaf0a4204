import type { Session } from '../../../platform/db/session.ts';
import type { Mark, ShownState } from '../../chapter.ts';
import { askerNumberOf, JOB, LARGE_JOB } from './board.ts';

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
  const [row] = await admin.run({ text: STATE, params: [], asArrays: false });
  const { capacity, holders: ids } = (row ?? MISSING) as typeof MISSING;
  const holders = ids.map(BigInt);
  const places = Math.max(capacity, holders.length);
  return {
    marks: Array.from({ length: places }, (_, index) => markOf(holders[index], index >= capacity)),
    summary: `${counted(holders.length, 'claim')} committed, ${counted(capacity, 'slot')}`,
    detail: sayHolders(holders),
    isWrong: holders.length > capacity,
  };
}

/**
 * Selects the capacity, and the ids of the holders in the order of their claims. Only one of the two
 * jobs is there.
 */
const STATE = `select capacity, (
    select coalesce(json_agg(recruiter_id::text order by id), '[]') from job_claims
    where job_id = jobs.id
  ) as holders from jobs where id in (${JOB}, ${LARGE_JOB})`;

/** The state of a job that is not there. */
const MISSING = { capacity: 0, holders: [] as string[] };

function markOf(holder: bigint | undefined, isExcess: boolean): Mark {
  if (holder === undefined) return { by: 'nobody', isExcess };
  return { by: askerNumberOf(holder) ?? 'earlier', isExcess };
}

function sayHolders(holders: bigint[]): string {
  if (holders.length === 0) return 'Nobody holds the job.';
  const playing = holders.map(askerNumberOf).filter((number) => number !== undefined);
  const earlier = holders.length - playing.length;
  return [
    ...(earlier ? [`${earlier} from before`] : []),
    ...playing.map((holder) => `Recruiter ${holder}`),
  ].join(', ');
}

/** Returns a number with its noun, such as `1 slot` or `2 slots`. */
export const counted = (many: number, what: string): string =>
  `${many} ${what}${many === 1 ? '' : 's'}`;
