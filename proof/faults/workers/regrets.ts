import type postgres from 'postgres';
import { pause } from '../../../src/platform/waiting/backoff.ts';
import { again } from '../again.ts';
import type { Dice } from '../dice.ts';

/** The recruiters whose changes are all rolled back, and the jobs that they claim. */
export interface Regretful {
  recruiterIds: string[];
  jobIds: string[];
}

const LONGEST_PAUSE_MS = 100;

/**
 * Claims jobs by plain SQL, and rolls every claim back. The transactions also delete all claims of
 * the job, and change the job. No message about these changes may ever arrive.
 */
export const regretOften = (
  databaseUrl: string,
  { recruiterIds, jobIds }: Regretful,
  dice: Dice,
  over: AbortSignal,
) =>
  again(databaseUrl, over, async (sql) => {
    await regret(sql, dice.any(recruiterIds) ?? '', dice.any(jobIds) ?? '');
    await pause(dice.below(LONGEST_PAUSE_MS), over);
  });

async function regret(sql: postgres.Sql, recruiterId: string, jobId: string) {
  await sql`BEGIN`;
  await sql`SELECT FROM jobs WHERE id = ${jobId} FOR NO KEY UPDATE`;
  await sql`DELETE FROM job_claims WHERE job_id = ${jobId}`;
  await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${jobId}, ${recruiterId})`;
  await sql`UPDATE jobs SET capacity = 1 WHERE id = ${jobId}`;
  await sql`ROLLBACK`;
}
