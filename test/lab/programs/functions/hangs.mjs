import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });

/** Takes an advisory lock of the session, and never releases it. */
export default async () => {
  await sql`select pg_advisory_lock(1)`;
  return 'full';
};
