import { describe, expect, test, vi } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { forget, readPause } from '../../../../src/service/operation/restores.ts';
import { DELIVERING } from '../../../../src/service/webhooks/attempts/task.ts';
import { collectLog, makeService } from '../../../support/app.ts';
import { run, start } from '../../../support/command.ts';
import { doctor } from '../../../support/doctor.ts';
import { makeReceiver } from '../../../support/receiver.ts';
import { projectWithout, type Removal } from '../../../support/removal.ts';
import { addEndpoint, makeSql, restore } from '../../../support/restored.ts';

/**
 * The number of checks for tasks that the test awaits. An idle worker checks for tasks once a
 * second, and its relay checks for events once a second.
 */
const LOOKS = 5;

const LOOK_FOR_TASKS: Removal = {
  file: 'src/service/queue/claim.ts',
  text: ` and \${MAY_HAVE_EFFECTS}`,
  left: '',
};
const LOOK_FOR_EVENTS: Removal = {
  file: 'src/service/webhooks/relay/relay.ts',
  text: `\n  and \${MAY_HAVE_EFFECTS}`,
  left: '',
};
const MARK: Removal = {
  file: 'src/service/operation/restores.ts',
  text: `sameness === 'restored' ? { pausedAt: NOW } : {}`,
  left: '{}',
};

/** Makes a restored database with a task and an event from before the restore. */
async function makeRestored() {
  const { databaseUrl, sql } = await makeSql();
  const { url } = await makeReceiver();
  await addEndpoint(sql, url);
  await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`;
  await sql`INSERT INTO tasks (kind, lane, payload, attempts_left)
    VALUES (${DELIVERING}, 'x', '{"deliveryId": 1}', 3)`;
  await restore(sql);
  return { databaseUrl, sql };
}

/** Returns whether a worker of the project in this folder takes neither the task nor the event. */
async function keepsThePause(folder: string): Promise<boolean> {
  const { databaseUrl, sql } = await makeRestored();
  const worker = start(
    process.execPath,
    ['--import', 'tsx', 'src/worker.ts'],
    { DATABASE_URL: databaseUrl, WORKER_PORT: '0', WEBHOOK_LOOPBACK: 'on' },
    folder,
  );
  const [, url] = await worker.says(/(http:\S+)\/readyz/);
  const areUntouched = async () => {
    const [row] = await sql`SELECT (SELECT count(*) FROM tasks WHERE attempt = 0) = 1
      AND (SELECT count(*) FROM tasks) = 1
      AND (SELECT count(*) FROM webhook_unrelayed) = 1 AS are`;
    return row?.are as boolean;
  };
  return vi.waitFor(
    async () => {
      if (!(await areUntouched())) return false;
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const [, looks] =
        metrics.match(/^rowlock_task_claim_seconds_count\{.*"none".*\} (\d+)/m) ?? [];
      expect(Number(looks)).toBeGreaterThanOrEqual(LOOKS);
      return areUntouched();
    },
    { timeout: 60_000, interval: 100 },
  );
}

test('a worker takes no tasks and no events of a restored database', async () => {
  expect(await keepsThePause(inProject('.'))).toBe(true);
});

test.each<[string, Removal]>([
  ['in the query for tasks', LOOK_FOR_TASKS],
  ['in the query for events', LOOK_FOR_EVENTS],
  ['in the first check after a restore', MARK],
])('without the guard %s, a worker takes a restored task or event', async (_, removal) => {
  expect(await keepsThePause(projectWithout(removal))).toBe(false);
});

describe('a restored database', () => {
  test('sends no webhook from before the restore, and sends each later webhook once', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    const receiver = await makeReceiver();
    const [endpoint] = await addEndpoint(sql, receiver.url);
    // The backup has a task, notes of events, and a lease that ended after the backup.
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
    await vi.waitFor(
      async () =>
        expect(await sql`SELECT FROM job_claims WHERE expires_at < now()`).toHaveLength(0),
      { timeout: 20_000 },
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

  test('is reported by the doctor and npm run restored, even if no worker has started yet', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    await restore(sql);
    const examined = await doctor(['--url', databaseUrl]);
    expect([examined.code, examined.stdout]).toEqual([
      1,
      expect.stringContaining('paused, because the database was restored'),
    ]);
    const told = run('scripts/restored.ts', [], { DATABASE_URL: databaseUrl });
    expect(await told.ended, told.stderr()).toEqual({ code: 0, signal: null });
    expect(told.stdout()).toMatch(
      /^Tasks and webhooks are paused, because the database was restored/,
    );
    expect(await readPause(db)).toBe(1);
    const [row] = await sql`SELECT identity, paused_at FROM installation`;
    expect(row).toEqual({ identity: '1 2 00000001', paused_at: null });
  });

  test('npm run restored shows the waiting tasks, and can pause, drop or send them', async () => {
    const { databaseUrl, sql, db } = await makeSql();
    const restored = async (...args: string[]) => {
      const command = run('scripts/restored.ts', args, { DATABASE_URL: databaseUrl });
      expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
      return command.stdout();
    };
    expect(await restored()).toMatch(/^Nothing is paused\.\n0 tasks wait\./);
    await sql`INSERT INTO tasks (kind, payload, attempts_left) VALUES ('any', '{}', 3)`;
    expect(await restored('--pause')).toMatch(
      /^Tasks and webhooks are paused since \S+Z\.\n1 tasks wait, the oldest since/,
    );
    expect(await readPause(db)).toBe(1);
    expect(await restored('--forget')).toMatch(/^Dropped 1 tasks and 0 changes/);
    expect(await readPause(db)).toBe(0);
    await restored('--pause');
    expect(await restored('--send')).toMatch(/Tasks and webhooks go on\.$/m);
    expect(await readPause(db)).toBe(0);
  });
});
