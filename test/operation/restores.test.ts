import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/db/client.ts';
import { compare, forget, goOn, lookForRestore, readPause } from '../../src/operation/restores.ts';
import { DELIVERING } from '../../src/webhooks/attempts/task.ts';
import { collectLog, makeService } from '../support/app.ts';
import { atEnd, run } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { whileHeld } from '../support/locks.ts';
import { makeReceiver } from '../support/receiver.ts';

test('a failover is no restore, and anything else that changes the identity is one', () => {
  expect(compare(null, '7 5 00000001', 0)).toBe('first');
  expect(compare('7 5 00000001', '7 5 00000001', 1e9)).toBe('same');
  expect(compare('7 5 00000001', '7 5 00000002', 5)).toBe('failover');
  expect(compare('7 5 00000001', '7 5 00000002', 121)).toBe('restored');
  expect(compare('7 5 00000001', '7 6 00000001', 5)).toBe('restored');
  expect(compare('7 5 00000001', '8 5 00000001', 5)).toBe('restored');
});

/** A database, and SQL on it. */
async function makeSql() {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  const { db, close } = connect(databaseUrl, { connections: 2 });
  atEnd(() => Promise.all([sql.end(), close()]));
  return { databaseUrl, sql, db };
}

/** Makes the row of another cluster, as a restore from long ago leaves it. */
const restore = (sql: postgres.Sql) =>
  sql`UPDATE installation SET identity = '1 2 00000001', alive_at = now() - interval '30 days'`;

describe('a restored database', () => {
  test('is recognized by the first look, and then stays paused until somebody decides', async () => {
    const { sql, db } = await makeSql();
    expect(await lookForRestore(db)).toBe('first');
    expect(await lookForRestore(db)).toBe('same');
    expect(await readPause(db)).toBe(0);
    await restore(sql);
    // No task is claimed even before the first look.
    expect(await readPause(db)).toBe(1);
    expect(await lookForRestore(db)).toBe('restored');
    expect(await lookForRestore(db)).toBe('same');
    expect(await readPause(db)).toBe(1);
    await goOn(db);
    expect(await readPause(db)).toBe(0);
  });

  test('sends no webhook of the time before, and sends each later webhook once', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    const receiver = await makeReceiver();
    const [endpoint] = await sql`INSERT INTO webhook_endpoints (company_id, url, types, secret)
      VALUES (1, ${receiver.url}, '["claim.created", "claim.expired"]', 'whsec_dGVzdHNlY3JldHRlc3RzZWNyZXQ=')
      RETURNING id`;
    // The backup has a task, a note of an event, and a lease that ended meanwhile.
    const [{ task } = {}] =
      await sql`INSERT INTO tasks (kind, lane, payload, attempts_left, created_at)
      VALUES (${DELIVERING}, 'x', '{"deliveryId": 1}', 3, now() - interval '1 day') RETURNING id AS task`;
    await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`;
    await sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
      VALUES (1, 2, now() - interval '1 minute')`;
    await restore(sql);
    expect(endpoint).toBeDefined();

    const { log, events } = collectLog();
    const { url } = await makeService(databaseUrl, { lab: false, places: 4, log });
    expect(events).toEqual([]);
    const claim = async (recruiter: number) =>
      (await fetch(`${url}/claim-job?jobId=1&recruiterId=${recruiter}`)).status;
    expect(await claim(3)).toBe(200);
    await vi.waitFor(async () =>
      expect(await sql`SELECT FROM job_claims WHERE expires_at < now()`).toHaveLength(0),
    );
    const notes = await sql`SELECT FROM webhook_unrelayed`;
    expect([notes.length, receiver.received.length]).toEqual([4, 0]);

    expect(await forget(db)).toEqual({ tasks: 1, events: 3 });
    expect(await claim(4)).toBe(200);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), { timeout: 20_000 });
    const recruiters = receiver.received.map(
      ({ body }) => JSON.parse(body).data.claim.recruiter.id,
    );
    expect(recruiters.sort()).toEqual([3, 4]);
    const [dropped] = await sql`SELECT ended, error FROM tasks WHERE id = ${task}`;
    expect(dropped).toEqual({
      ended: 'cancelled',
      error: 'dropped after a restore of the database',
    });
  });

  test('stays paused if a session holds the job of an old lease, and the error says so', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    await sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
      VALUES (1, 2, now() - interval '1 minute')`;
    await whileHeld(databaseUrl, 1, async () => {
      await expect(forget(db, 200)).rejects.toThrow('another session holds their jobs');
    });
    expect(await readPause(db)).toBe(1);
    await forget(db);
    expect(await readPause(db)).toBe(0);
    expect(await sql`SELECT FROM job_claims WHERE expires_at < now()`).toHaveLength(0);
  });

  test('npm run restored says what waits, and does what it is told', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    const restored = async (...args: string[]) => {
      const command = run('scripts/restored.ts', args, { DATABASE_URL: databaseUrl });
      expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
      return command.stdout();
    };
    expect(await restored()).toMatch(/^Nothing is paused\.\n0 tasks wait\./);
    await sql`INSERT INTO tasks (kind, payload, attempts_left) VALUES ('any', '{}', 3)`;
    expect(await restored('--pause')).toMatch(
      /Paused since \S+Z\.\n1 tasks wait, the oldest since/,
    );
    expect(await readPause(db)).toBe(1);
    expect(await restored('--forget')).toMatch(/^Dropped 1 tasks and 0 changes/);
    expect(await readPause(db)).toBe(0);
    await restored('--pause');
    expect(await restored('--send')).toMatch(/Tasks and webhooks go on\.$/m);
    expect(await readPause(db)).toBe(0);
  });
});
