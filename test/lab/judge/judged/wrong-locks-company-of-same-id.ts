import { sql } from 'drizzle-orm';
import { after } from './lib/after.ts';

/** Wrong: the id is that of the job. A company has this id only by chance. */
export default after(({ jobId }) => sql`select from companies where id = ${jobId} for update`);
