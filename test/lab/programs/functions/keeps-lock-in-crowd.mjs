import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });

/** Takes an advisory lock for ever, but only if the recruiter's id is higher than 2. */
export default async ({ recruiterId }) => {
  if (recruiterId > 2) await sql`select pg_advisory_lock(1)`;
  return 'full';
};
