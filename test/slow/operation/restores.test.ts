import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { inProject } from '../../../src/process/project.ts';
import { DELIVERING } from '../../../src/webhooks/attempts/task.ts';
import { atEnd, start } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { makeReceiver } from '../../support/receiver.ts';
import { projectWithout, type Removal } from '../../support/removal.ts';

/** An idle worker looks once a second. Its relay looks as often. */
const LOOKS = 5;

const LOOK_FOR_TASKS: Removal = {
  file: 'src/queue/claim.ts',
  text: ` and \${MAY_HAVE_EFFECTS}`,
  left: '',
};
const LOOK_FOR_EVENTS: Removal = {
  file: 'src/webhooks/relay/relay.ts',
  text: `\n  and \${MAY_HAVE_EFFECTS}`,
  left: '',
};
const MARK: Removal = {
  file: 'src/operation/restores.ts',
  text: `sameness === 'restored' ? { pausedAt: NOW } : {}`,
  left: '{}',
};

/** A restored database with a task and an event from before the restore. */
async function makeRestored() {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  const { url } = await makeReceiver();
  await sql`INSERT INTO webhook_endpoints (company_id, url, types, secret)
    VALUES (1, ${url}, '["claim.created"]', 'whsec_dGVzdHNlY3JldHRlc3RzZWNyZXQ=')`;
  await sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`;
  await sql`INSERT INTO tasks (kind, lane, payload, attempts_left)
    VALUES (${DELIVERING}, 'x', '{"deliveryId": 1}', 3)`;
  await sql`UPDATE installation
    SET identity = '1 2 00000001', alive_at = now() - interval '30 days'`;
  return { databaseUrl, sql };
}

/** Whether a worker of the project in this folder leaves the task and the event alone. */
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

test('a worker leaves the tasks and events of a restored database alone', async () => {
  expect(await keepsThePause(inProject('.'))).toBe(true);
});

test.each<[string, Removal]>([
  ['in the look for tasks', LOOK_FOR_TASKS],
  ['in the look for events', LOOK_FOR_EVENTS],
  ['in the first look after a restore', MARK],
])('without the guard %s, a worker takes them', async (_, removal) => {
  expect(await keepsThePause(projectWithout(removal))).toBe(false);
});
