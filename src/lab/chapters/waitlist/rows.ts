import { arrayOf } from '../../../platform/db/array-text.ts';
import type { Session } from '../../../platform/db/session.ts';
import type { LineSituation } from './situations.ts';

/** The job whose slots and line change. */
export const JOB = 1n;
/** Another job with one slot. Its line began earlier. Nobody changes this job in a schedule. */
const OTHER_JOB = 2n;
/** The holder and the line of the other job. */
const OTHERS = [91n, 92n] as const;
const HOLDERS = 100n;
const IN_LINE = 200n;

/** Returns the recruiter who holds a slot, from 1, before the first step. */
export const holderOf = (number: number): bigint => HOLDERS + BigInt(number);

/**
 * Returns the recruiter who has this place in line, from 1, before the first step. The order of the
 * ids is not the order of the line: 203, 201, 202, 206, and so on.
 */
export const recruiterInLine = (place: number): bigint =>
  IN_LINE + BigInt(place + (place % 3 === 1 ? 2 : -1));

/** Returns the place in line before the first step. Undefined for a recruiter who was not in line. */
export function placeOf(recruiter: bigint): number | undefined {
  if (recruiter <= IN_LINE) return undefined;
  const number = Number(recruiter - IN_LINE);
  return number + (number % 3 === 0 ? -2 : 1);
}

export const isEarlierHolder = (recruiter: bigint): boolean =>
  recruiter > HOLDERS && recruiter <= IN_LINE;

/** The id of the claim that a recruiter holds before the first step. */
export const claimIdOf = ({ recruiterId }: { recruiterId: bigint }): bigint => recruiterId;

const run = (admin: Session, text: string, params: unknown[] = []) =>
  admin.run({ text, params, asArrays: false });

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

/** Puts the rows into the state before the first step. */
export async function setUp(
  admin: Session,
  { capacity, free = 0, waiting, isOffered }: LineSituation,
  ofProduction: boolean,
) {
  if (!installed.has(admin)) await run(admin, INSTALL_SET_UP);
  installed.add(admin);
  const line = Array.from({ length: waiting }, (_, index) => recruiterInLine(index + 1));
  const params = [capacity, capacity - free, arrayOf(line), isOffered === true, ofProduction];
  await run(admin, 'select pg_temp.set_up_line($1, $2, $3, $4, $5)', params);
}

/**
 * The SQL that makes the set-up function. The ids are fixed, so a schedule prints the same
 * transcript each time. Ids of the sequences are larger than the fixed ids.
 */
const INSTALL_SET_UP = `
  select setval(pg_get_serial_sequence(name, 'id'), greatest(1000, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters,job_claims,waitlist,lab_waitlist.waitlist}'::text[]) name;
  create or replace function pg_temp.set_up_line(
    slots int, taken int, line bigint[], is_offered bool, of_production bool
  ) returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from public.waitlist;
    delete from lab_waitlist.waitlist;
    delete from jobs where id not in (${JOB}, ${OTHER_JOB});
    insert into companies (id, name) values (1, 'Company') on conflict do nothing;
    insert into recruiters (id, name) select id, 'Recruiter ' || id
      from generate_series(1, greatest(slots, cardinality(line), 8)) as number
      cross join lateral unnest(array[number, ${HOLDERS} + number]) as id
      union all select id, 'Recruiter ' || id from unnest(line || array[${OTHERS.join()}]::bigint[]) as id
      on conflict do nothing;
    insert into jobs (id, company_id, role, capacity) values (${JOB}, 1, 'Job', slots), (${OTHER_JOB}, 1, 'Job', 1)
      on conflict (id) do update set company_id = 1, role = 'Job', capacity = excluded.capacity
      where (jobs.company_id, jobs.role, jobs.capacity) <> (1, 'Job', excluded.capacity);
    insert into job_claims (id, job_id, recruiter_id, expires_at)
      select ${HOLDERS} + n, ${JOB}, ${HOLDERS} + n,
        case when is_offered then statement_timestamp() + interval '15 minutes' end
      from generate_series(1, taken) as n;
    insert into job_claims (id, job_id, recruiter_id) values (1, ${OTHER_JOB}, ${OTHERS[0]});
    if of_production then
      insert into public.waitlist (id, job_id, recruiter_id)
        values (1, ${OTHER_JOB}, ${OTHERS[1]});
      insert into public.waitlist (id, job_id, recruiter_id)
        select 1 + place, ${JOB}, recruiter from unnest(line) with ordinality as entry (recruiter, place);
      insert into public.waitlist (id, job_id, recruiter_id, claim_id)
        select 0, ${JOB}, ${HOLDERS} + 1, ${HOLDERS} + 1 where is_offered;
    else
      insert into lab_waitlist.waitlist (id, job_id, recruiter_id)
        values (1, ${OTHER_JOB}, ${OTHERS[1]});
      insert into lab_waitlist.waitlist (id, job_id, recruiter_id)
        select 1 + place, ${JOB}, recruiter from unnest(line) with ordinality as entry (recruiter, place);
    end if;
  end $$`;

/** The job, its slots and its line, as everybody sees them now. */
export interface JobNow {
  capacity: number;
  holders: { recruiter: bigint; isOffered: boolean }[];
  /** The recruiters who wait. The next recruiter comes first. */
  waiting: bigint[];
  /** Whether the claims and the line of the other job are as before the first step. */
  isOtherIntact: boolean;
}

/** Reads the job. A claim whose lease has ended does not count. */
export async function readJob(admin: Session): Promise<JobNow> {
  const [row] = await run(admin, READ_JOB);
  const { capacity, holders, waiting, isOtherIntact } = row as unknown as {
    capacity: number;
    isOtherIntact: boolean;
    holders: { recruiter: string; isOffered: boolean }[];
    waiting: string[];
  };
  return {
    capacity,
    holders: holders.map((each) => ({ ...each, recruiter: BigInt(each.recruiter) })),
    waiting: waiting.map(BigInt),
    isOtherIntact,
  };
}

/** One of the two tables of lines is always empty. */
const READ_JOB = `
  with line as (
    select job_id, id, recruiter_id from lab_waitlist.waitlist
    union all
    select job_id, id, recruiter_id from public.waitlist where claim_id is null
  )
  select capacity,
    (select coalesce(json_agg(json_build_object('recruiter', recruiter_id::text,
        'isOffered', expires_at is not null) order by id), '[]')
      from job_claims where job_id = jobs.id
        and (expires_at is null or expires_at > lab_time.clock_timestamp())) as holders,
    (select coalesce(json_agg(recruiter_id::text order by id), '[]') from line
      where job_id = jobs.id) as waiting,
    (select array_agg(recruiter_id) from job_claims where job_id = ${OTHER_JOB}) = '{${OTHERS[0]}}'
      and (select array_agg(recruiter_id) from line where job_id = ${OTHER_JOB}) = '{${OTHERS[1]}}'
      as "isOtherIntact"
  from jobs where id = ${JOB}`;
