import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: sixteen recruiters share a lock. Recruiters whose ids lie apart have different locks. */
export default after(({ recruiterId }) => sql`select pg_advisory_xact_lock(${recruiterId / 16n})`);
