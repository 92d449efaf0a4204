import { sql } from 'drizzle-orm';
import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import { jobClaims } from '../../../service/database/schema.ts';
import type { ClaimSituation } from './situations.ts';
import { counters, slots, takenSlots } from './tables.ts';

/** The job that the sessions claim in every schedule. */
export const JOB = 1;
/**
 * A second, full job that no session claims. A statement without a condition on the job also counts
 * or changes the claims of this second job. A situation with `isOnlyJob` does not have the second
 * job.
 */
const ANOTHER_JOB = 2;
export const FIRST_HOLDER = 101;
/** Recruiters with ids up to this number belong to sessions. */
export const LAST_SESSION = FIRST_HOLDER - 1;
/** The recruiters who hold the slots of `ANOTHER_JOB`. */
const HOLDERS_ELSEWHERE = [191, 192, 193, 194];
const LAST_HOLDER = 200;

const run = async (admin: Session, text: string) => {
  await admin.run({ text, params: [], asArrays: false });
};

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

/** Returns the recruiters who hold `ANOTHER_JOB` during all schedules of the situation. */
export const holdersElsewhere = ({ isOnlyJob }: ClaimSituation): readonly number[] =>
  isOnlyJob ? [] : HOLDERS_ELSEWHERE;

/** Puts the rows of the jobs into the state before the first step. */
export async function setUp(admin: Session, { capacity, taken, isOnlyJob }: ClaimSituation) {
  if (!installed.has(admin)) await run(admin, INSTALL_SET_UP);
  installed.add(admin);
  const text = 'select pg_temp.set_up($1, $2, $3)';
  await admin.run({ text, params: [capacity, taken, !isOnlyJob], asArrays: false });
}

/**
 * The SQL that makes the rows and the set-up function. The ids are fixed, so a schedule prints the
 * same transcript each time. The set-up runs before every schedule. PostgreSQL plans the statements
 * of a function only once.
 */
const INSTALL_SET_UP = `
  insert into companies (id, name) values (${JOB}, 'Company') on conflict do nothing;
  insert into jobs (id, company_id, role) values (${JOB}, ${JOB}, 'Job') on conflict do nothing;
  insert into recruiters (id, name) select id, 'Recruiter ' || id
    from generate_series(1, ${LAST_HOLDER}) id on conflict do nothing;
  select setval(pg_get_serial_sequence(name, 'id'), greatest(${LAST_HOLDER}, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters}'::text[]) name;
  create or replace function pg_temp.set_up(slot_count int, taken int, has_another_job boolean) returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from lab_claims.counters;
    delete from lab_claims.slots;
    delete from lab_claims.taken_slots;
    delete from lab_claims.leases;
    update jobs set capacity = slot_count where id = ${JOB} and capacity <> slot_count;
    delete from jobs where id <> ${JOB} and not has_another_job;
    insert into jobs (id, company_id, role) select ${ANOTHER_JOB}, ${JOB}, 'Job' where has_another_job
      on conflict do nothing;
    insert into job_claims (job_id, recruiter_id)
      select ${JOB}, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot
      union all select ${ANOTHER_JOB}, unnest(array[${HOLDERS_ELSEWHERE}]) where has_another_job;
    insert into lab_claims.counters (job_id, capacity, claimed) values (${JOB}, slot_count, taken);
    insert into lab_claims.leases (job_id) values (${JOB});
    insert into lab_claims.slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, case when slot <= taken then ${FIRST_HOLDER} + slot - 1 end
      from generate_series(1, slot_count) slot;
    insert into lab_claims.taken_slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot;
  end $$`;

/**
 * Releases the slot of the first holder, in one statement. The statement also releases the slot in
 * the tables of the strategies. The statement finds the claim by the recruiter, since the id of the
 * claim differs in each schedule.
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
