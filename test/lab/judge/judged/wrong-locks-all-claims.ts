import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: on an empty board there is no claim, so nothing is locked. */
export default after(() => sql`select from job_claims for update`);
