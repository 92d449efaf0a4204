import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL);

/** Locks the job, and then counts. Has the limit of four in its own code. */
export default ({ jobId, recruiterId }) =>
  sql.begin(async (tx) => {
    await tx`select from jobs where id = ${jobId} for update`;
    const claims = await tx`select from job_claims where job_id = ${jobId}`;
    if (claims.length >= 4) return 'full';
    await tx`insert into job_claims (job_id, recruiter_id) values (${jobId}, ${recruiterId})`;
    return 'claimed';
  });
