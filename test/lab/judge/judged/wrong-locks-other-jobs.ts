import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: if a board has only one job, there is no other job to lock, so nothing is locked. */
export default after(({ jobId }) => sql`select from jobs where id <> ${jobId} for update`);
