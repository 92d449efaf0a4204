import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: the only job of a board has no other job beside it, so nothing is locked. */
export default after(({ jobId }) => sql`select from jobs where id <> ${jobId} for update`);
