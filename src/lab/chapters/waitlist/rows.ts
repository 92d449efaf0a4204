import { arrayOf } from '../../../platform/db/array-text.ts';
import type { Session } from '../../../platform/db/session.ts';

/** The job whose slots and line change. No recruiter has the id of a job. */
export const JOB = 5n;
const COMPANY = 7n;
/**
 * Another job with one slot. Its line began earlier. Nobody changes this job in a schedule. Recruiter
 * 101 holds a slot of both jobs, and recruiter 203 waits for both.
 */
const OTHER_JOB = 6n;
/**
 * The ids of recruiters: 11 and so on are newcomers, 101 and so on hold slots, and 201 and so on wait.
 * There may be 90 sessions.
 */
const NEWCOMERS = 10n;
const HOLDERS = 100n;
const IN_LINE = 200n;

/** Returns the newcomer of a session. */
export const newcomerOf = (session: number): bigint => NEWCOMERS + BigInt(session);

/** Returns the session of a newcomer. Undefined for other recruiters. */
export const sessionOf = (recruiter: bigint): number | undefined =>
  recruiter <= HOLDERS ? Number(recruiter - NEWCOMERS) : undefined;

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

/** The end of the lease at the other job. It lies far in the future, so it never comes. */
const END_OF_LEASE = '2100-01-01 00:00:00+00';
const OTHER_HOLDER = holderOf(1);
const OTHER_IN_LINE = recruiterInLine(1);

/** The id of the claim that a recruiter holds before the first step. */
export const claimIdOf = ({ recruiterId }: { recruiterId: bigint }): bigint => recruiterId;

const run = (admin: Session, text: string, params: unknown[] = []) =>
  admin.run({ text, params, asArrays: false });

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

/** The job before the first step. */
export interface JobBefore {
  /** The number of slots. */
  capacity: number;
  /** How many slots are free. By default all slots are taken. */
  free?: number;
  /** How many recruiters wait. */
  waiting: number;
  /** Each holder has an offer, and has not accepted it yet. */
  isOffered?: true;
}

/** Puts the rows into the state before the first step. */
export async function setUp(
  admin: Session,
  { capacity, free = 0, waiting, isOffered }: JobBefore,
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
 * transcript each time. Ids of the sequences are larger than the fixed ids. The last in line is
 * inserted first, so a read without ORDER BY finds the last in line first. The line begins with the
 * ids 8, 9 and 10, so it has another order as text.
 */
const INSTALL_SET_UP = `
  select setval(pg_get_serial_sequence(name, 'id'), greatest(1000, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters,job_claims,waitlist,lab_waitlist.waitlist}'::text[]) name;
  create or replace function pg_temp.entries(line bigint[])
  returns table (id bigint, job_id bigint, recruiter_id bigint) language sql as $$
    select 7 + place, ${JOB}::bigint, recruiter from unnest(line) with ordinality as entry (recruiter, place)
    union all select 1, ${OTHER_JOB}, ${OTHER_IN_LINE}
    order by 1 desc
  $$;
  create or replace function pg_temp.set_up_line(
    slots int, taken int, line bigint[], is_offered bool, of_production bool
  ) returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from public.waitlist;
    delete from lab_waitlist.waitlist;
    delete from jobs where id not in (${JOB}, ${OTHER_JOB});
    insert into companies (id, name) values (${COMPANY}, 'Company') on conflict do nothing;
    insert into recruiters (id, name) select id, 'Recruiter ' || id
      from generate_series(1, greatest(slots, cardinality(line), 8)) as number
      cross join lateral unnest(array[${NEWCOMERS} + number, ${HOLDERS} + number]) as id
      union all select id, 'Recruiter ' || id from unnest(line || ${OTHER_IN_LINE}::bigint) as id
      on conflict do nothing;
    insert into jobs (id, company_id, role, capacity)
      values (${JOB}, ${COMPANY}, 'Job', slots), (${OTHER_JOB}, ${COMPANY}, 'Job', 1)
      on conflict (id) do update set company_id = ${COMPANY}, role = 'Job', capacity = excluded.capacity
      where (jobs.company_id, jobs.role, jobs.capacity) <> (${COMPANY}, 'Job', excluded.capacity);
    insert into job_claims (id, job_id, recruiter_id, expires_at)
      select ${HOLDERS} + n, ${JOB}, ${HOLDERS} + n,
        case when is_offered then statement_timestamp() + interval '15 minutes' end
      from generate_series(1, taken) as n;
    insert into job_claims (id, job_id, recruiter_id, expires_at)
      values (1, ${OTHER_JOB}, ${OTHER_HOLDER}, '${END_OF_LEASE}');
    if of_production then
      insert into public.waitlist (id, job_id, recruiter_id) select * from pg_temp.entries(line);
      insert into public.waitlist (id, job_id, recruiter_id, claim_id)
        select -n, ${JOB}, ${HOLDERS} + n, ${HOLDERS} + n from generate_series(1, taken) as n
        where is_offered;
    else
      insert into lab_waitlist.waitlist select * from pg_temp.entries(line);
      -- A read without ORDER BY returns rows in the order of their places. PostgreSQL uses the places of
      -- deleted rows again. A schedule of such a strategy would then run differently.
      if exists (
        select from (select ctid, lag(ctid) over (order by id desc) as before from lab_waitlist.waitlist) as places
        where ctid < before
      ) then
        truncate lab_waitlist.waitlist;
        insert into lab_waitlist.waitlist select * from pg_temp.entries(line);
      end if;
    end if;
  end $$`;

/** The job, its slots and its line, as everybody sees them now. */
export interface JobNow {
  capacity: number;
  /** The claims, without those whose lease has ended. */
  holders: { recruiter: bigint; isOffered: boolean }[];
  /** The number of claims. An offer that has ended takes its slot until somebody removes it. */
  taken: number;
  /** The recruiters who wait, and hold no slot. The next recruiter comes first. */
  waiting: bigint[];
  /** Whether the claims and the line of the other job are as before the first step. */
  isOtherIntact: boolean;
}

/** Reads the job. A claim whose lease has ended does not count. */
export async function readJob(admin: Session): Promise<JobNow> {
  const [row] = await run(admin, READ_JOB);
  const { capacity, taken, holders, waiting, isOtherIntact } = row as unknown as {
    capacity: number;
    taken: number;
    isOtherIntact: boolean;
    holders: { recruiter: string; isOffered: boolean }[];
    waiting: string[];
  };
  return {
    capacity,
    taken,
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
    (select count(*)::int from job_claims where job_id = jobs.id) as taken,
    (select coalesce(json_agg(json_build_object('recruiter', recruiter_id::text,
        'isOffered', expires_at is not null) order by id), '[]')
      from job_claims where job_id = jobs.id
        and (expires_at is null or expires_at > lab_time.clock_timestamp())) as holders,
    (select coalesce(json_agg(recruiter_id::text order by id), '[]') from line
      where job_id = jobs.id and not exists (
        select from job_claims where job_id = line.job_id and recruiter_id = line.recruiter_id
          and (expires_at is null or expires_at > lab_time.clock_timestamp()))) as waiting,
    (select capacity from jobs where id = ${OTHER_JOB}) = 1
      and (select json_agg(json_build_array(recruiter_id, expires_at = '${END_OF_LEASE}')) from job_claims
        where job_id = ${OTHER_JOB})::text = '[[${OTHER_HOLDER}, true]]'
      and (select array_agg(recruiter_id) from line where job_id = ${OTHER_JOB}) = '{${OTHER_IN_LINE}}'
      as "isOtherIntact"
  from jobs where id = ${JOB}`;
