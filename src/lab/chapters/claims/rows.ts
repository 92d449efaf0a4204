import { sql } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import { jobClaims } from '../../../db/schema.ts';
import type { Session } from '../../../db/session.ts';
import { counters, slots, takenSlots } from './tables.ts';

/** The job of all schedules, and the ids of recruiters who may hold it before the first step. */
export const JOB = 1;
/**
 * Nobody claims this job, and it is full. A statement that forgets which job it is for counts or changes
 * the claims of this job too.
 */
const ANOTHER_JOB = 2;
export const FIRST_HOLDER = 101;
/** Recruiters with ids up to this one belong to sessions. */
export const LAST_SESSION = FIRST_HOLDER - 1;
/** The recruiters who hold the other job. */
export const HOLDERS_ELSEWHERE = [191, 192, 193, 194];
const LAST_HOLDER = 200;

const run = async (admin: Session, text: string) => {
  await admin.run({ text, params: [], asArrays: false });
};

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

/** Puts the rows of both jobs into the state before the first step. */
export async function setUp(admin: Session, capacity: number, taken: number) {
  if (!installed.has(admin)) await run(admin, INSTALL_SET_UP);
  installed.add(admin);
  const text = 'select pg_temp.set_up($1, $2)';
  await admin.run({ text, params: [capacity, taken], asArrays: false });
}

/**
 * Ids are fixed, so a schedule prints the same transcript each time. The set-up runs before every
 * schedule. It is a function, so PostgreSQL plans its statements only once.
 */
const INSTALL_SET_UP = `
  insert into companies (id, name) values (${JOB}, 'Company') on conflict do nothing;
  insert into jobs (id, company_id, role) select id, ${JOB}, 'Job'
    from unnest(array[${JOB}, ${ANOTHER_JOB}]) id on conflict do nothing;
  insert into recruiters (id, name) select id, 'Recruiter ' || id
    from generate_series(1, ${LAST_HOLDER}) id on conflict do nothing;
  select setval(pg_get_serial_sequence(name, 'id'), greatest(${LAST_HOLDER}, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters}'::text[]) name;
  create or replace function pg_temp.set_up(slot_count int, taken int) returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from lab_claims.counters;
    delete from lab_claims.slots;
    delete from lab_claims.taken_slots;
    delete from lab_claims.leases;
    update jobs set capacity = slot_count where id = ${JOB} and capacity <> slot_count;
    insert into job_claims (job_id, recruiter_id)
      select ${JOB}, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot
      union all select ${ANOTHER_JOB}, unnest(array[${HOLDERS_ELSEWHERE}]);
    insert into lab_claims.counters (job_id, capacity, claimed) values (${JOB}, slot_count, taken);
    insert into lab_claims.leases (job_id) values (${JOB});
    insert into lab_claims.slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, case when slot <= taken then ${FIRST_HOLDER} + slot - 1 end
      from generate_series(1, slot_count) slot;
    insert into lab_claims.taken_slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot;
  end $$`;

/**
 * Releases the slot of the first holder, in one statement. The statement also clears the tables of other
 * strategies. It finds the claim by its recruiter, since the id of the claim differs in each schedule.
 */
export async function releaseSlot(db: Database) {
  const byRecruiter = sql`recruiter_id = ${FIRST_HOLDER}`;
  await db.execute(sql`
    with counted as (update ${counters} set claimed = claimed - 1, version = version + 1
        where job_id = ${JOB}),
      emptied as (update ${slots} set recruiter_id = null where ${byRecruiter}),
      removed as (delete from ${takenSlots} where ${byRecruiter})
    delete from ${jobClaims} where ${byRecruiter}`);
  return { kind: 'released' };
}
