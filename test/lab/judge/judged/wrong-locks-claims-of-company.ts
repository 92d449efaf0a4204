import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: a new company has no claim, so nothing is locked. */
export default after(
  ({ jobId }) => sql`
    select from job_claims join jobs on jobs.id = job_id
    where company_id = (select company_id from jobs where id = ${jobId}) for update of job_claims`,
);
