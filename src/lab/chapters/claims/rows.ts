import { sql } from 'drizzle-orm';
import { arrayOf } from '../../../platform/db/array-text.ts';
import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import { jobClaims, jobs } from '../../../service/database/schema.ts';
import { type BoardJob, boardOf, END_OF_LEASES } from './board.ts';
import type { ClaimSituation } from './situations.ts';
import { counters, slots, takenSlots } from './tables.ts';

const run = (admin: Session, text: string) => admin.run({ text, params: [], asArrays: false });

/** The situation whose functions an admin session has. */
const installed = new WeakMap<Session, ClaimSituation>();
/** The rows of the jobs that nobody claims, as each set-up leaves them, for each admin session. */
const others = new WeakMap<Session, string>();

/** Puts the rows of the jobs into the state before the first step. */
export async function setUp(admin: Session, situation: ClaimSituation) {
  if (installed.get(admin) === situation) return void (await run(admin, SET_UP));
  await run(admin, installText(situation));
  await run(admin, SET_UP);
  others.set(admin, await rowsOfOthers(admin));
  installed.set(admin, situation);
}

const SET_UP = 'select pg_temp.set_up()';

/** Whether the rows of the jobs that nobody claims are as after the set-up. */
export const areOthersIntact = async (admin: Session): Promise<boolean> =>
  (await rowsOfOthers(admin)) === others.get(admin);

async function rowsOfOthers(admin: Session): Promise<string> {
  const [row] = await run(admin, 'select pg_temp.rows_of_others() as rows');
  return (row as { rows: string }).rows;
}

/** Whether a claimed job has more committed claims than slots now. */
export async function isOversold(admin: Session, situation: ClaimSituation): Promise<boolean> {
  const params = [arrayOf(boardOf(situation).claimed.map(({ id }) => id))];
  const [row] = await admin.run({ text: OVERSOLD, params, asArrays: false });
  return (row as { oversold: boolean }).oversold;
}

const OVERSOLD = `select exists (select from jobs where capacity < (
    select count(*) from job_claims where job_id = jobs.id) and id = any($1::bigint[])) as oversold`;

/**
 * The SQL that makes the rows and the functions. The ids are fixed, so a schedule prints the same
 * transcript each time. The set-up runs before every schedule. PostgreSQL plans the statements of a
 * function only once.
 */
function installText(situation: ClaimSituation): string {
  const { claimed, askers, others } = boardOf(situation);
  const jobs = situation.isMissing ? others : [...claimed, ...others];
  const recruiters = new Set([...askers, ...jobs.flatMap(({ holders }) => holders)]);
  const list = (values: Iterable<bigint>) => [...values].map((id) => `(${id})`).join();
  const companies = jobs.map(({ company }) => company);
  return `
  delete from job_claims;
  delete from jobs;
  delete from recruiters where id not in (${[...recruiters].join()});
  delete from companies where id not in (${companies.join()});
  insert into companies (id, name) select id, 'Company'
    from (values ${list(companies)}) as company (id) on conflict do nothing;
  insert into recruiters (id, name) select id, 'Recruiter ' || id
    from (values ${list(recruiters)}) as recruiter (id) on conflict do nothing;
  select setval(pg_get_serial_sequence(name, 'id'), greatest(200, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters}'::text[]) name;
  create or replace function pg_temp.set_up() returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from lab_claims.counters;
    delete from lab_claims.slots;
    delete from lab_claims.taken_slots;
    delete from lab_claims.leases;
    delete from jobs where id not in (select id from (values ${list(jobs.map(({ id }) => id))}) as job (id));
    ${jobs.map(insertText).join('\n    ')}
  end $$;
  create or replace function pg_temp.rows_of_others() returns text language sql as $$
    select concat_ws(' ',
      ${OF_OTHERS.map((rows) => `(${rows(claimed.map(({ id }) => id).join())})`).join(',\n      ')})
  $$`;
}

/**
 * Reads the rows of all jobs but the claimed ones, in each table that names jobs. The ids of claims
 * and the times differ in each schedule.
 */
const OF_OTHERS = [
  (
    claimed: string,
  ) => `select json_agg(json_build_array(id, company_id, role, capacity) order by id)
        from jobs where id not in (${claimed})`,
  (
    claimed: string,
  ) => `select json_agg(json_build_array(job_id, recruiter_id, expires_at) order by id)
        from job_claims where job_id not in (${claimed})`,
  ...Object.entries({
    counters: 'job_id, capacity, claimed, version',
    slots: 'job_id, slot, recruiter_id',
    taken_slots: 'job_id, slot, recruiter_id',
    leases: 'job_id, holder, token',
  }).map(
    ([table, columns]) =>
      (claimed: string) =>
        `select json_agg(json_build_array(${columns}) order by ${columns})
        from lab_claims.${table} where job_id not in (${claimed})`,
  ),
];

function insertText({ id, company, capacity, holders, leaseholder }: BoardJob): string {
  const taken = holders.map((holder, index) => `(${id}, ${index + 1}, ${holder})`).join();
  const columns = 'company_id, role, capacity';
  const values = `${company}, 'Job', ${capacity}`;
  return `insert into jobs (id, ${columns}) values (${id}, ${values}) on conflict do nothing;
    update jobs set (${columns}) = (${values}) where id = ${id} and (${columns}) <> (${values});
    insert into lab_claims.counters (job_id, capacity, claimed)
      values (${id}, ${capacity}, ${holders.length});
    insert into lab_claims.leases (job_id) values (${id});
    insert into lab_claims.slots (job_id, slot) select ${id}, generate_series(1, ${capacity});
    ${
      holders.length === 0
        ? ''
        : `insert into lab_claims.taken_slots (job_id, slot, recruiter_id) values ${taken};
    insert into job_claims (job_id, recruiter_id, expires_at)
      select job_id, recruiter_id,
        case recruiter_id when ${leaseholder ?? 'null'} then timestamptz '${END_OF_LEASES}' end
      from lab_claims.taken_slots where job_id = ${id} order by slot;
    update lab_claims.slots set recruiter_id = taken.recruiter_id from lab_claims.taken_slots taken
      where taken.job_id = ${id} and slots.job_id = ${id} and slots.slot = taken.slot;`
    }`;
}

/**
 * Releases the slot of a recruiter, in one statement. The statement also releases the slot in the
 * tables of the strategies. The statement finds the claim by the recruiter, since the id of the
 * claim differs in each schedule.
 */
export async function releaseSlot(db: Database, job: bigint, recruiter: bigint) {
  const ofClaim = sql`job_id = ${job} and recruiter_id = ${recruiter}`;
  await db.execute(sql`
    with counted as (update ${counters} set claimed = claimed - 1, version = version + 1
        where job_id = ${job}),
      emptied as (update ${slots} set recruiter_id = null where ${ofClaim}),
      removed as (delete from ${takenSlots} where ${ofClaim})
    delete from ${jobClaims} where ${ofClaim}`);
  return { kind: 'released' };
}

/** Adds a slot to the job, in one statement. Also adds it to the tables of the strategies. */
export async function addSlot(db: Database, job: bigint) {
  await db.execute(sql`
    with counted as (update ${counters} set capacity = capacity + 1, version = version + 1
        where job_id = ${job} returning capacity),
      added as (insert into ${slots} (job_id, slot) select ${job}::bigint, capacity from counted)
    update ${jobs} set capacity = capacity + 1 where id = ${job}`);
  return { kind: 'raised' };
}
