import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Right, but slow: all claims of the company's jobs wait for each other. */
export default after(
  ({ jobId }) =>
    sql`select from companies where id = (select company_id from jobs where id = ${jobId}) for update`,
);
