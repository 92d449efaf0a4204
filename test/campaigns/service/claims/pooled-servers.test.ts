/**
 * Compares two servers and a worker behind PgBouncer in transaction mode with two servers without
 * PgBouncer. Each of them is a separate process.
 */
import postgres from 'postgres';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { RECRUITERS } from '../../../../proof/bench/load/asks.ts';
import { makeLoad } from '../../../../proof/bench/load/load.ts';
import type { Service } from '../../../../src/service/program/service.ts';
import { crowd } from '../../../support/claims.ts';
import { atEnd, run, runServer, runWorker } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { follow } from '../../../support/events.ts';
import { makePooler } from '../../../support/pooler.ts';
import { makeReceiver } from '../../../support/receiver.ts';

const ROUNDS = 3;
const SECONDS = 2;
const CONNECTIONS = 32;
/** The number of jobs for each round. No job is used in two rounds. */
const JOBS_A_ROUND = 10_000;
/**
 * The minimum throughput through PgBouncer, as a share of the direct throughput. We measured 0.5 to
 * 0.8. Behind the pooler no statement is prepared, so a statement takes an additional round trip.
 */
const LEAST_SHARE = 0.25;

const pooled = (url: string) => ({ DATABASE_URL: url, DATABASE_POOLER: 'transaction' });

/** Starts two servers that do no tasks. A separate worker may do the tasks. */
async function startTwo(settings: Record<string, string>): Promise<string[]> {
  const both = [1, 2].map(() => runServer({ ...settings, WORKERS: '0', WEBHOOK_LOOPBACK: 'on' }));
  return Promise.all(both.map(async (each) => (await each.says(/listens on (http\S+)/))[1] ?? ''));
}

describe('two servers and a worker behind PgBouncer', { tags: ['pgbouncer'] }, () => {
  let admin: postgres.Sql;
  let databaseUrl: string;
  let url: string;
  let origins: string[];
  beforeAll(async () => {
    databaseUrl = await makeDatabase();
    admin = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
    atEnd(() => admin.end());
    url = await makePooler(databaseUrl, { mode: 'transaction', size: 10 });
    origins = await startTwo(pooled(url));
    const worker = runWorker({ ...pooled(url), WEBHOOK_LOOPBACK: 'on' });
    await worker.says(/^Ctrl-C/m);
  });

  const ask = async (
    server: number,
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ) => {
    const answer = await fetch(`${origins[server]}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  test('never give out more slots than a job has, even in a race', async () => {
    const servers = origins.map((each) => ({ url: each }) as Service);
    for (const jobId of [11, 12, 13, 14, 15]) {
      const statuses = await crowd(servers, jobId, 50);
      expect(statuses.filter((each) => each === 200)).toHaveLength(4);
      expect(statuses.filter((each) => each === 403)).toHaveLength(46);
    }
  });

  test('repeat an answer of the other server, update both streams, and send one webhook', async () => {
    const receiver = await makeReceiver();
    const endpoint = await ask(0, 'POST', '/companies/1/endpoints', { url: receiver.url });
    const [job] = await admin`
      INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'Pooled', 4) RETURNING id::int`;
    const followings = await Promise.all(
      origins.map((each) => follow((init) => fetch(`${each}/jobs/events`, init))),
    );
    for (const each of followings) await each.isComplete();

    const path = `/jobs/${job?.id}/claims`;
    const first = await ask(0, 'POST', path, { recruiterId: 3 }, 'pooled');
    const again = await ask(1, 'POST', path, { recruiterId: 3 }, 'pooled');
    expect([endpoint.status, first.status, again]).toEqual([201, 201, first]);
    for (const each of followings)
      await vi.waitFor(() => expect(each.latest().get(job?.id)?.data.claimed).toBe(1), 20_000);
    await receiver.untilReceived(1);
    const [message] = receiver.received;
    if (message) receiver.verify(message, JSON.parse(endpoint.text).secret);
    expect(message?.message.data.claim.recruiter.id).toBe(3);

    // The worker has written the outcome of the only task.
    await vi.waitFor(async () => {
      const tasks = JSON.parse((await ask(1, 'GET', '/tasks?status=done')).text).tasks;
      expect(tasks).toHaveLength(1);
    }, 20_000);
    expect(receiver.received).toHaveLength(1);
  });

  test('have at least a quarter of the throughput of two servers without PgBouncer', async () => {
    const direct = await startTwo({ DATABASE_URL: databaseUrl });
    const jobs = 2 * ROUNDS * JOBS_A_ROUND;
    await admin`INSERT INTO recruiters (name) SELECT 'R' || n FROM generate_series(1, ${RECRUITERS}) n`;
    const [first] = await admin`
      WITH made AS (INSERT INTO jobs (company_id, role, capacity)
        SELECT 2, 'Spread', 4 FROM generate_series(1, ${jobs}) RETURNING id)
      SELECT min(id)::int AS id FROM made`;
    let firstJob: number = first?.id;
    const rates: Record<string, number[]> = { direct: [], pooled: [] };
    const sides = { direct, pooled: origins };
    for (let round = 0; round < ROUNDS; round++)
      for (const [side, servers] of Object.entries(sides)) {
        const asks = { kind: 'spread', firstJob, jobs: JOBS_A_ROUND } as const;
        const crowds = [{ asks, connections: CONNECTIONS }];
        const [heard] = await makeLoad({ origins: servers, seconds: SECONDS, crowds });
        expect(Object.keys(heard?.statuses ?? {})).toEqual(['200']);
        rates[side]?.push(heard?.perSecond ?? 0);
        firstJob += JOBS_A_ROUND;
      }
    const median = (side: string) => (rates[side] ?? []).sort((a, b) => a - b)[1] ?? 0;
    const share = median('pooled') / median('direct');
    process.stdout.write(
      `claims a second: direct ${Math.round(median('direct'))}, through PgBouncer ` +
        `${Math.round(median('pooled'))}, share ${share.toFixed(2)}\n`,
    );
    expect(share).toBeGreaterThan(LEAST_SHARE);
    const oversold = await admin`SELECT FROM job_claims GROUP BY job_id HAVING count(*) > 4`;
    expect(oversold).toHaveLength(0);
  });

  test('leave a database in which the doctor finds no fault', async () => {
    const doctor = run('scripts/doctor.ts', ['--url', url]);
    expect([(await doctor.ended).code, doctor.stdout()]).toEqual([
      0,
      expect.stringContaining('All is well'),
    ]);
  });
});
