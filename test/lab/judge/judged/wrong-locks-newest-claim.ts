import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: on an empty board there is no newest claim, so nothing is locked. */
export default after(() => sql`select from job_claims order by id desc limit 1 for update`);
