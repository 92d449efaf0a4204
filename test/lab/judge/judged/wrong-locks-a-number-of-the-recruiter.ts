import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: each recruiter locks a number of their own, so nobody waits. */
export default after(({ recruiterId }) => sql`select pg_advisory_xact_lock(${recruiterId})`);
