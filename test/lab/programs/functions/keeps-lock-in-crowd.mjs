import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });

/** Keeps a lock of the session, but not for the first two recruiters. */
export default async ({ recruiterId }) => {
  if (recruiterId > 2) await sql`select pg_advisory_lock(1)`;
  return 'full';
};
