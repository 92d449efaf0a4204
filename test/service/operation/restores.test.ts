import { describe, expect, test } from 'vitest';
import { compare, readPast } from '../../../src/service/database/installation.ts';
import {
  forget,
  goOn,
  lookForRestore,
  pauseInWords,
  readPause,
} from '../../../src/service/operation/restores.ts';
import { relayEvents } from '../../../src/service/webhooks/relay/relay.ts';
import { whileHeld } from '../../support/locks.ts';
import { makeQueue } from '../../support/queue.ts';
import { addEndpoint, makeSql, restore } from '../../support/restored.ts';

test('a new timeline within two minutes is a failover, and other new identities mean a restore', () => {
  expect(compare(null, '7 5 00000001', 0)).toBe('first');
  expect(compare('7 5 00000001', '7 5 00000001', 1e9)).toBe('same');
  expect(compare('7 5 00000001', '7 5 00000002', 5)).toBe('failover');
  expect(compare('7 5 00000001', '7 5 00000002', 121)).toBe('restored');
  expect(compare('7 5 00000001', '7 6 00000001', 5)).toBe('restored');
  expect(compare('7 5 00000001', '8 5 00000001', 5)).toBe('restored');
});

describe('a restored database', () => {
  test('is recognized by the first check, and then stays paused until somebody decides', async () => {
    const { sql, db } = await makeSql();
    expect(await lookForRestore(db)).toBe('first');
    expect(await lookForRestore(db)).toBe('same');
    expect(await readPause(db)).toBe(0);
    await restore(sql);
    // No task is claimed even before the first check.
    expect(await readPause(db)).toBe(1);
    // The doctor and npm run restored print these words.
    expect(pauseInWords(await readPast(db))).toMatch(/^paused, because the database was restored/);
    expect(await lookForRestore(db)).toBe('restored');
    expect(await lookForRestore(db)).toBe('same');
    expect(await readPause(db)).toBe(1);
    await goOn(db);
    expect(await readPause(db)).toBe(0);
  });

  test('lets no worker claim its tasks and no relay read its events until somebody decides', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    const { add, claim } = await makeQueue(databaseUrl);
    const relay = () => relayEvents(db, () => undefined);
    await addEndpoint(sql, 'http://localhost:4000/');
    await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`;
    await add({});
    await restore(sql);
    expect([await claim(), await relay()]).toEqual([[], 0]);
    expect(await lookForRestore(db)).toBe('restored');
    expect([await claim(), await relay()]).toEqual([[], 0]);
    await goOn(db);
    expect([(await claim()).length, await relay()]).toEqual([1, 1]);
  });

  test('stays paused if a session locks the job of an old lease, and the error names this lock', async () => {
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

  test('loses all old tasks by `forget`, even if the backup contains an earlier pause', async () => {
    const { sql, db } = await makeSql();
    await sql`INSERT INTO tasks (kind, payload, attempts_left, created_at)
      VALUES ('any', '{}', 3, now() - interval '1 day')`;
    await restore(sql);
    await sql`UPDATE installation SET paused_at = now() - interval '2 days'`;
    expect(await forget(db)).toEqual({ tasks: 1, events: 0 });
  });
});
