import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: each recruiter locks a row of their own, so nobody waits. */
export default after(
  ({ recruiterId }) => sql`select from recruiters where id = ${recruiterId} for update`,
);
