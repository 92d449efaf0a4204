import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: a new job has no claim, so nothing is locked. */
export default after(({ jobId }) => sql`select from job_claims where job_id = ${jobId} for update`);
