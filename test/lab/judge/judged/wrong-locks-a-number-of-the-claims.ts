import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: on an empty board the SELECT has no row, so it never calls the function that locks. */
export default after(() => sql`select pg_advisory_xact_lock(job_id) from job_claims`);
