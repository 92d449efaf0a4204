import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../db/client.ts';
import { jobClaims, jobs } from '../db/schema.ts';
import { counters, leases, slots, takenSlots } from './schema.ts';

/** Gives a job the rows that some strategies need, in step with its claims; leaves those there are. */
export async function addLabRows(db: Database | Transaction, jobId: bigint) {
  const claimed = sql`(select count(*)::int from ${jobClaims} where job_id = ${jobId})`;
  const numbered = sql`(select recruiter_id, row_number() over (order by id)::int as slot
    from ${jobClaims} where job_id = ${jobId})`;
  await db.execute(sql`
    with counter as (
      insert into ${counters} (job_id, capacity, claimed)
      select id, capacity, ${claimed} from ${jobs} where id = ${jobId} on conflict do nothing
    ), lease as (
      insert into ${leases} (job_id) select id from ${jobs} where id = ${jobId} on conflict do nothing
    ), taken as (
      insert into ${takenSlots} (job_id, slot, recruiter_id)
      select ${jobId}, slot, recruiter_id from ${numbered} as claims on conflict do nothing
    )
    insert into ${slots} (job_id, slot, recruiter_id)
    select ${jobs.id}, slot, claims.recruiter_id
    from ${jobs}, generate_series(1, capacity) as slot left join ${numbered} as claims using (slot)
    where ${jobs.id} = ${jobId} on conflict do nothing`);
}
