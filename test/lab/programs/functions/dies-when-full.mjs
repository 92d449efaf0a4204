import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL);

/** Counts the free slots, and then inserts a claim. Ends its process if the job is full. */
export default async ({ jobId, recruiterId }) => {
  const [{ free }] = await sql`
    select capacity - (select count(*) from job_claims where job_id = jobs.id) as free
    from jobs where id = ${jobId}`;
  if (free <= 0) process.exit(7);
  await sql`insert into job_claims (job_id, recruiter_id) values (${jobId}, ${recruiterId})`;
  return 'claimed';
};
