import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/platform/db/client.ts';
import { type Diagnosis, diagnose, diagnoseUnserved } from '../../src/service/operation/doctor.ts';
import { atEnd } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { doctor, leaveEnded } from '../support/doctor.ts';

/** Makes a database, and runs `work` on it. Returns its address. */
async function databaseAfter(work: (sql: postgres.Sql) => Promise<unknown>): Promise<string> {
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  await work(sql);
  return url;
}

const wrongIn = ({ findings }: Diagnosis) => findings.filter(({ total }) => total > 0);

/** Runs `work` on a new database, and lets the doctor examine the database. */
async function examineAfter(work: (sql: postgres.Sql) => Promise<unknown>) {
  const { db, close } = connect(await databaseAfter(work), { connections: 1 });
  atEnd(() => close());
  const diagnosis = await diagnose(db);
  return { ...diagnosis, wrong: wrongIn(diagnosis) };
}

/** Runs `work` on a new database, and lets the command `doctor` examine the database. */
async function runAfter(work: (sql: postgres.Sql) => Promise<unknown>) {
  const { code, stdout, stderr } = await doctor(['--json', '--url', await databaseAfter(work)]);
  expect(stderr).toBe('');
  const diagnosis: Diagnosis = JSON.parse(stdout);
  expect(diagnosis.healthy).toBe(code === 0);
  return { code, wrong: wrongIn(diagnosis) };
}

test('the doctor finds no fault in a sound database, in a table and as JSON', async () => {
  const url = await makeDatabase();
  const { code, stdout } = await doctor([], { DATABASE_URL: url });
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/ok +0 +jobs with more[\s\S]*All is well/),
  ]);
  const { wrong, code: same } = await runAfter(async (sql) => {
    await sql`INSERT INTO job_claims (job_id, recruiter_id) SELECT 1, n FROM generate_series(1, 4) n`;
    await sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
      VALUES (1, 5, now() - interval '30 seconds'), (2, 1, now() + interval '1 hour')`;
    await sql`INSERT INTO idempotency_keys VALUES
      ('a', 'k', 'f', 200, '{}', '', now() - interval '59 minutes')`;
  });
  expect([same, wrong]).toEqual([0, []]);
});

// test/slow/scripts/doctor.test.ts tests ended leases and keys in DATA_DIR.
test('ended leases and keys are no fault in a database that no server uses', async () => {
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1 });
  const { db, close } = connect(url, { connections: 1 });
  atEnd(() => Promise.all([sql.end(), close()]));
  await leaveEnded(sql);
  expect((await diagnose(db)).healthy).toBe(false);
  const { healthy, skipped } = await diagnoseUnserved(db);
  expect(healthy).toBe(true);
  expect(skipped).toContain('tasks due for over ten minutes in a lane where no task runs');
});

describe('the doctor finds', () => {
  test('jobs with more claims than slots, and shows the first 20', async () => {
    const { code, wrong } = await runAfter(
      (sql) => sql`INSERT INTO job_claims (job_id, recruiter_id)
        SELECT job, n FROM generate_series(1, 23) job, generate_series(1, 5) n`,
    );
    expect(code).toBe(1);
    expect(wrong).toMatchObject([{ check: 'jobs with more claims than capacity', total: 23 }]);
    expect(wrong[0]?.examples).toHaveLength(20);
    expect(wrong[0]?.examples[0]).toBe('job 1: 5 claims for 4 slots');
  });

  test('claims without their job or their recruiter', async () => {
    const { healthy, wrong } = await examineAfter(async (sql) => {
      await sql`ALTER TABLE job_claims DROP CONSTRAINT job_claims_job_id_jobs_id_fk`;
      await sql`ALTER TABLE job_claims DROP CONSTRAINT job_claims_recruiter_id_recruiters_id_fk`;
      await sql`INSERT INTO job_claims (id, job_id, recruiter_id)
        VALUES (70, 999, 1), (71, 1, 888)`;
    });
    expect(healthy).toBe(false);
    expect(wrong).toEqual([
      { check: 'claims without their job', total: 1, examples: ['claim 70: job 999'] },
      { check: 'claims without their recruiter', total: 1, examples: ['claim 71: recruiter 888'] },
    ]);
  });

  test('expired claims that no server has removed', async () => {
    const { healthy, wrong } = await examineAfter(
      (sql) => sql`INSERT INTO job_claims (id, job_id, recruiter_id, expires_at)
        VALUES (70, 1, 1, now() - interval '61 seconds')`,
    );
    expect(healthy).toBe(false);
    const check = 'claims that expired over a minute ago';
    expect(wrong).toEqual([{ check, total: 1, examples: ['claim 70: job 1'] }]);
  });

  test('lines that do not fit their claims', async () => {
    const { healthy, wrong } = await examineAfter((sql) =>
      sql.begin(async (tx) => {
        // The triggers would refuse or mend these rows.
        await tx`SET LOCAL session_replication_role = replica`;
        await tx`INSERT INTO job_claims (id, job_id, recruiter_id)
          VALUES (70, 1, 5), (71, 2, 1), (72, 2, 2), (73, 2, 3), (74, 2, 4)`;
        await tx`INSERT INTO waitlist (job_id, recruiter_id, claim_id)
          VALUES (1, 6, null), (1, 7, null), (2, 4, null), (2, 8, null), (2, 9, 999)`;
        await tx`UPDATE events SET at = now() - interval '61 seconds'`;
      }),
    );
    expect(healthy).toBe(false);
    expect(wrong).toEqual([
      {
        check: 'jobs with a free slot for over a minute, although somebody waits',
        total: 1,
        examples: ['job 1: 1 of 4 slots claimed, 2 in line'],
      },
      {
        check: 'recruiters who wait for a job that they hold',
        total: 1,
        examples: ['recruiter 4: job 2'],
      },
      { check: 'offers without their claim', total: 1, examples: ['recruiter 9: job 2'] },
    ]);
  });

  test('no fault in a slot that has just become free', async () => {
    const { wrong } = await examineAfter(async (sql) => {
      await sql`INSERT INTO waitlist (job_id, recruiter_id) VALUES (1, 6)`;
    });
    expect(wrong).toEqual([]);
  });

  test('idempotency keys that are too old, and does not show the keys', async () => {
    const { healthy, wrong } = await examineAfter(
      (sql) => sql`INSERT INTO idempotency_keys VALUES
        ('a', 'hunter2', 'f', 200, '{}', '', now() - interval '61 minutes'),
        ('a', 'hunter3', 'f', 200, '{}', '', now() + interval '1 hour')`,
    );
    expect(healthy).toBe(false);
    expect(wrong).toMatchObject([
      { check: 'idempotency keys that expired over an hour ago', total: 1 },
    ]);
    expect(JSON.stringify(wrong)).not.toContain('hunter');
  });

  test('disabled or missing triggers', async () => {
    const { healthy, wrong } = await examineAfter(async (sql) => {
      await sql`ALTER TABLE job_claims DISABLE TRIGGER append_claimed`;
      await sql`DROP TRIGGER append_changed ON jobs`;
      // The doctor must ignore triggers of the same name on other tables.
      await sql`CREATE SCHEMA other CREATE TABLE jobs (id int)`;
      await sql`CREATE TRIGGER append_changed BEFORE UPDATE ON other.jobs
        FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`;
      await sql`CREATE TRIGGER append_changed BEFORE UPDATE ON companies
        FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`;
    });
    expect(healthy).toBe(false);
    expect(wrong).toEqual([
      {
        check: 'triggers that are disabled',
        total: 1,
        examples: ['append_claimed on job_claims'],
      },
      { check: 'triggers that are missing', total: 1, examples: ['append_changed on jobs'] },
    ]);
  });

  test('missing migrations, and then skips all other checks', async () => {
    const { healthy, wrong, skipped } = await examineAfter(
      (sql) => sql`DROP SCHEMA drizzle CASCADE`,
    );
    expect(healthy).toBe(false);
    expect(wrong).toMatchObject([{ check: 'migrations that are missing' }]);
    expect(wrong[0]?.examples).toContain('0000_claims');
    expect(skipped).toContain('jobs with more claims than capacity');
  });
});

describe('the doctor of a queue', () => {
  /** The values of a living worker that knows the kind `known`. */
  const LIVING = `('ada', '1.2.3', '["known"]', 4, now() + interval '10 seconds')`;
  const addWorker = (sql: postgres.Sql, values = LIVING) =>
    sql.unsafe(`INSERT INTO workers (name, version, kinds, places, lease_until) VALUES ${values}`);

  test('finds no fault in a queue that works', async () => {
    const { wrong, healthy } = await examineAfter(async (sql) => {
      await addWorker(sql);
      await sql`INSERT INTO tasks (kind, lane, payload, attempts_left, run_at, lease_until) VALUES
        ('known', 'a', '{}', 1, now() - interval '9 minutes', null),
        ('known', 'b', '{}', 1, now() - interval '1 hour', now() + interval '10 seconds'),
        ('known', 'b', '{}', 1, now() - interval '1 hour', null),
        ('known', 'c', '{}', 1, now() - interval '1 hour', now() - interval '50 seconds'),
        ('unknown', 'd', '{}', 1, now() + interval '1 hour', null),
        ('known', 'pausing', '{}', 1, now() - interval '1 hour', null),
        ('known', 'pausing', '{}', 1, now() - interval '1 hour', now() - interval '1 hour')`;
      await sql`INSERT INTO paused_lanes VALUES ('pausing', now() + interval '1 hour')`;
      await sql`INSERT INTO tasks (kind, payload, attempts_left, finished_at, ended) VALUES
        ('unknown', '{}', 0, now() - interval '1 hour', 'done'),
        ('unknown', '{}', 1, now() - interval '1 hour', 'cancelled')`;
    });
    expect([healthy, wrong]).toEqual([true, []]);
  });

  test('finds tasks that wait too long in a lane where no task runs', async () => {
    const { wrong } = await examineAfter(async (sql) => {
      await addWorker(sql);
      await sql`INSERT INTO tasks (id, kind, lane, payload, attempts_left, run_at, lease_until) VALUES
        (70, 'known', 'a', '{}', 1, now() - interval '11 minutes', null),
        (71, 'known', 'b', '{}', 1, now(), now() + interval '10 seconds')`;
    });
    const check = 'tasks due for over ten minutes in a lane where no task runs';
    expect(wrong).toEqual([
      { check, total: 1, examples: [expect.stringMatching(/^task 70: known, due since /)] },
    ]);
  });

  test('finds tasks whose lease has ended, and that no worker takes over', async () => {
    const { wrong } = await examineAfter(async (sql) => {
      await addWorker(sql);
      await sql`INSERT INTO tasks (id, kind, payload, attempts_left, lease_until)
        VALUES (70, 'known', '{}', 1, now() - interval '61 seconds')`;
    });
    const check = 'tasks whose lease ended over a minute ago';
    expect(wrong).toEqual([
      { check, total: 1, examples: [expect.stringMatching(/^task 70: known, lease until /)] },
    ]);
  });

  test('finds events that no relay reads', async () => {
    const { wrong } = await examineAfter(async (sql) => {
      await addWorker(sql);
      await sql`INSERT INTO webhook_endpoints (company_id, url, types, secret)
        VALUES (1, 'https://jobs.example', '["job.full"]', 'hunter2')`;
      await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1), (2, 1)`;
      await sql`UPDATE events SET at = now() - interval '11 minutes' WHERE job_id = 1`;
    });
    const check = 'events that no relay has read for over ten minutes';
    expect(wrong).toEqual([
      { check, total: 1, examples: [expect.stringMatching(/^event \d+: job 1, at /)] },
    ]);
  });

  test('finds kinds of tasks that no living worker knows', async () => {
    const { wrong } = await examineAfter(async (sql) => {
      await addWorker(sql);
      await addWorker(sql, `('old', '1', '["unknown"]', 4, now() - interval '30 seconds')`);
      await sql`INSERT INTO workers (name, version, kinds, places, lease_until, stopped_at)
        VALUES ('stopped', '1', '["unknown"]', 4, now() + interval '5 seconds', now())`;
      await sql`INSERT INTO tasks (kind, payload, attempts_left, run_at)
        SELECT 'unknown', '{}', 1, now() - interval '2 minutes' FROM generate_series(1, 3)`;
    });
    const check = 'kinds of tasks that no living worker knows';
    expect(wrong).toEqual([{ check, total: 1, examples: ['unknown: 3 tasks'] }]);
  });

  test('finds tasks that died, and does not show their payload', async () => {
    const { wrong } = await examineAfter(
      (sql) => sql`INSERT INTO tasks (id, kind, payload, attempt, attempts_left, finished_at, ended)
        VALUES (70, 'known', '{"secret": "hunter2"}', 10, 0, now(), 'dead'),
          (71, 'known', '{}', 10, 0, now() - interval '25 hours', 'dead')`,
    );
    const check = 'tasks that died within the last day';
    expect(wrong).toEqual([{ check, total: 1, examples: ['task 70: known, 10 attempts'] }]);
    expect(JSON.stringify(wrong)).not.toContain('hunter2');
  });

  test('finds dead workers that are not marked as stopped', async () => {
    const { wrong } = await examineAfter((sql) =>
      addWorker(sql, `('old', '1', '[]', 4, now() - interval '61 seconds')`),
    );
    const check = 'workers that died over a minute ago and are not marked as stopped';
    expect(wrong).toEqual([
      { check, total: 1, examples: [expect.stringMatching(/^worker 1: old, seen at /)] },
    ]);
  });
});

describe('the doctor cannot run', () => {
  test('if the database cannot be reached, and does not print the password', async () => {
    const { code, stdout, stderr } = await doctor(['--url', 'postgres://me:hunter2@127.0.0.1:1/x']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Cannot use PostgreSQL at 127.0.0.1:1\/x(?!.*hunter2)[^\n]*\n$/);
  });

  test('if there is no embedded database, and does not make a database', async () => {
    const { code, stderr } = await doctor([], { DATA_DIR: '/nowhere/at/all' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('no embedded database yet')]);
  });
});

test('a database with newer migrations is a fault only if this version is too old to serve it', async () => {
  const later = (sql: postgres.Sql) =>
    sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 9000000000000)`;
  const url = await makeDatabase();
  const sql = postgres(url, { max: 1 });
  atEnd(() => sql.end());
  await later(sql);
  const { code, stdout } = await doctor(['--url', url]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^The database has migrations .* This version may serve\. To go back/m),
  ]);
  await sql`UPDATE installation SET oldest_migration = 9000000000000`;
  const tooOld = await doctor(['--url', url]);
  expect([tooOld.code, tooOld.stdout]).toEqual([
    1,
    expect.stringMatching(/wrong +1 +versions that are too old for the database/),
  ]);
});
