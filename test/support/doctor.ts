import type postgres from 'postgres';
import { run } from './command.ts';

/** Runs `npm run doctor`. */
export async function doctor(args: string[], env: Record<string, string> = {}) {
  const command = run('scripts/doctor.ts', args, env);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** Inserts the rows that remain a day after a server was killed while its worker ran a task. */
export async function leaveEnded(sql: postgres.Sql) {
  await sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
    SELECT job, recruiter, now() - interval '1 day'
    FROM generate_series(1, 20) job, generate_series(1, 40) recruiter`;
  await sql`INSERT INTO idempotency_keys VALUES
    ('a', 'k', 'f', 200, '{}', '', now() - interval '1 day')`;
  await sql`INSERT INTO workers (name, version, places, lease_until)
    VALUES ('ada', '1.2.3', 4, now() - interval '1 day')`;
  await sql`INSERT INTO tasks (kind, payload, attempts_left, run_at, lease_until) VALUES
    ('any', '{}', 1, now() - interval '1 day', now() - interval '1 day'),
    ('any', '{}', 1, now() - interval '1 day', null)`;
}
