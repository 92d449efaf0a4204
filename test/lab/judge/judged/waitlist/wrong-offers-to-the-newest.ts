import { sql } from 'drizzle-orm';
import { act, lockJob } from 'rowlock/lab/chapters/waitlist/parts.ts';
import type { WaitlistStrategy } from 'rowlock/lab/chapters/waitlist/strategy.ts';

/** Wrong: the slot goes to whoever has joined last. */
const change: WaitlistStrategy['change'] = (db, request) =>
  db.transaction(async (tx) => {
    await lockJob(tx, request);
    const outcome = await act(tx, request);
    const { jobId } = request;
    await tx.execute(
      sql`delete from job_claims where job_id = ${jobId} and expires_at <= statement_timestamp()`,
    );
    await tx.execute(sql`
      with newest as materialized (
        select id from lab_waitlist.waitlist where job_id = ${jobId} order by id desc
        limit (select greatest(0, capacity - (
          select count(*) from job_claims where job_id = ${jobId})) from jobs where id = ${jobId})
      ), taken as (
        delete from lab_waitlist.waitlist where id in (select id from newest) returning recruiter_id
      )
      insert into job_claims (job_id, recruiter_id, expires_at)
      select ${jobId}, recruiter_id, statement_timestamp() + interval '15 minutes' from taken`);
    return outcome;
  });
export default change;
