import { expect, vi } from 'vitest';
import { databaseOfCommand } from '../../src/platform/db/alone.ts';
import type { Pooler } from '../../src/platform/db/client.ts';
import type { LogEvent } from '../../src/platform/process/log.ts';
import { diagnose } from '../../src/service/operation/doctor.ts';
import { forget, readWaiting } from '../../src/service/operation/restores.ts';
import { collectLog, makeService } from './app.ts';
import { makeReceiver } from './receiver.ts';
import { open } from './stock.ts';

/** The number of jobs that `fill` adds. Their ids follow `FIRST_JOB`. */
const JOBS = 100_000;
const FIRST_JOB = 1_000;
/** Some of the jobs after this id are full, and have a line. */
const FIRST_LINE = FIRST_JOB + 0.6 * JOBS;
const RECRUITERS = 20_000;
/** The id of a company with an endpoint and a sixth of the jobs. */
const COMPANY = 1;

/**
 * Adds many rows to a database with demo data, among them old rows for the cleanup. PostgreSQL
 * makes no statistics of these rows, as right after a bulk load.
 */
export async function fill(url: string) {
  const sql = open(url);
  const tables = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`;
  for (const { name } of tables) await sql`ALTER TABLE ${sql(name)} SET (autovacuum_enabled = off)`;
  // Triggers would take most of the time.
  await sql`SET session_replication_role = replica`;
  await sql`INSERT INTO recruiters (id, name)
    SELECT ${FIRST_JOB} + n, 'Recruiter ' || n FROM generate_series(1, ${RECRUITERS}::int) n`;
  await sql`INSERT INTO jobs (id, company_id, role)
    SELECT ${FIRST_JOB} + n, 1 + n % 6, 'Engineer of kind ' || n % 1000
    FROM generate_series(1, ${JOBS}::int) n`;
  await sql`INSERT INTO job_words
    SELECT jobs.id, words_of(role || ' ' || name) FROM jobs JOIN companies ON companies.id = company_id
    WHERE jobs.id > ${FIRST_JOB}`;
  await sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at)
    SELECT ${FIRST_JOB} + n, ${FIRST_JOB} + 1 + n % ${RECRUITERS},
      CASE WHEN n % 1000 = 0 THEN now() - interval '1 minute' END
    FROM generate_series(1, ${JOBS}::int) n`;
  // These jobs are full, and recruiters wait for them.
  await sql`UPDATE jobs SET capacity = 1 WHERE id > ${FIRST_LINE} AND id % 10 = 0`;
  await sql`INSERT INTO waitlist (job_id, recruiter_id)
    SELECT jobs.id, ${FIRST_JOB} + 1 + (jobs.id + n) % ${RECRUITERS}
    FROM jobs, generate_series(5, 7) n WHERE jobs.id > ${FIRST_LINE} AND capacity = 1`;
  await sql`INSERT INTO events (job_id, company_id, number, kind, role, capacity, claimed, at)
    SELECT ${FIRST_JOB} + n, 1 + n % 6, place, 'changed', 'Engineer', 4, 1,
      now() - CASE WHEN n % 100 = 0 THEN interval '40 days' ELSE interval '1 day' END
    FROM generate_series(1, ${JOBS}::int) n, generate_series(1, 2) place`;
  await sql`INSERT INTO tasks (kind, lane, payload, attempts_left, finished_at, ended)
    SELECT 'webhook', 'webhook ' || n % 100, '{}', 3,
      now() - CASE WHEN n % 100 = 0 THEN interval '40 days' ELSE interval '1 hour' END, 'done'
    FROM generate_series(1, ${JOBS}::int) n`;
  await sql`INSERT INTO tasks (kind, lane, payload, attempts_left, run_at)
    SELECT 'unknown', 'unknown ' || n % 100, '{}', 3, now() + interval '1 day'
    FROM generate_series(1, ${JOBS / 2}::int) n`;
  await sql`INSERT INTO webhook_deliveries (endpoint_id, type, body, task_id, created_at, delivered_at)
    SELECT 1 + n % 100, 'claim.created', '{"data": {"job": {"id": 1, "role": "Engineer"}}}', n,
      now() - CASE WHEN n % 100 = 0 THEN interval '40 days' ELSE interval '1 day' END, now()
    FROM generate_series(1, ${JOBS}::int) n`;
  await sql`INSERT INTO webhook_attempts (delivery_id, at, milliseconds, status)
    SELECT id, created_at, 20, 200 FROM webhook_deliveries`;
  await sql`INSERT INTO idempotency_keys (caller, key, fingerprint, status, headers, body, expires_at)
    SELECT 'admin:anybody', n::text, '', 200, '{}', '',
      now() + CASE WHEN n % 100 = 0 THEN interval '-1 minute' ELSE interval '1 hour' END
    FROM generate_series(1, ${JOBS / 10}::int) n`;
  await sql`INSERT INTO workers (name, version, places, lease_until, stopped_at)
    SELECT 'worker ' || n, '1', 4, now() - interval '2 days', now() - interval '2 days'
    FROM generate_series(1, 1000) n`;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Returns functions that call the service. `called` collects the names of the operations. */
function callsOf(origin: string) {
  const called = new Set<string>();
  const call = async (
    operation: string,
    ids: Record<string, unknown> = {},
    body?: object,
    { query = '', key }: { query?: string; key?: string } = {},
  ) => {
    const [method = '', template = ''] = operation.split(' ');
    called.add(operation);
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name]));
    const answer = await fetch(`${origin}${path}${query}`, {
      method,
      headers: { ...(body && JSON_BODY), ...(key && { 'Idempotency-Key': key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.status, `${operation} ${query}: ${text}`).toBeLessThan(400);
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  };
  /** Follows a stream. After the full state, does the work, and waits for the event. */
  const follow = async (
    path: string,
    query: string,
    event: RegExp,
    work: () => Promise<unknown>,
  ) => {
    called.add(`GET ${path}`);
    const leaving = new AbortController();
    const answer = await fetch(`${origin}${path}${query}`, { signal: leaving.signal });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    const until = async (words: RegExp) => {
      while (!words.test(text)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`${path}${query} ended with ${text}`);
        text += decoder.decode(value);
      }
    };
    await until(/^event: end$/m);
    text = '';
    await work();
    await until(event);
    leaving.abort();
  };
  return { called, call, follow };
}

type Calls = ReturnType<typeof callsOf>;

/** Claims many jobs at the same moment, each for a different recruiter, so that batches form. */
const claimMany = ({ call }: Calls, firstJob: number, howMany: number) =>
  Promise.all(
    Array.from({ length: howMany }, (_, n) =>
      call(
        'POST /jobs/{jobId}/claims',
        { jobId: firstJob + n },
        { recruiterId: FIRST_JOB + 1 + n },
      ),
    ),
  );

async function playClaims(calls: Calls) {
  const { call } = calls;
  await call('GET /claim-job', {}, undefined, { query: '?jobId=1&recruiterId=1' });
  const wanted = { recruiterId: 2, leaseSeconds: 900 };
  const { claim } = await call('POST /jobs/{jobId}/claims', { jobId: 1 }, wanted, { key: 'a' });
  await call('POST /jobs/{jobId}/claims', { jobId: 1 }, wanted, { key: 'a' });
  await call('POST /claims/{id}/renew', { id: claim.id }, { leaseSeconds: 600 });
  await call('GET /claims/{id}', { id: claim.id });
  await call('GET /jobs/{jobId}/claims', { jobId: 1 });
  await call('GET /recruiters/{id}/claims', { id: 2 });
  await call('DELETE /claims/{id}', { id: claim.id });
  await claimMany(calls, FIRST_JOB + 1, 300);
  const short = { recruiterId: 3, leaseSeconds: 1 };
  await call('POST /jobs/{jobId}/claims', { jobId: 2 }, short);
  await vi.waitFor(
    async () => {
      const { events } = await call('GET /jobs/{id}/events', { id: 2 });
      expect(events.at(-1)).toMatchObject({ kind: 'expired' });
    },
    { timeout: 20_000, interval: 100 },
  );
}

async function playWaitlist({ call }: Calls) {
  const full = { companyId: 1, role: 'Lamplighter', capacity: 1 };
  const { id: jobId } = await call('POST /jobs', {}, full);
  const { claim } = await call('POST /jobs/{jobId}/claims', { jobId }, { recruiterId: 11 });
  const join = (recruiterId: number, key?: string) =>
    call('POST /jobs/{jobId}/waitlist', { jobId }, { recruiterId }, key ? { key } : {});
  for (const recruiterId of [12, 13, 14]) await join(recruiterId);
  for (let times = 0; times < 2; times++) await join(15, 'waits');
  await call('GET /jobs/{jobId}/waitlist', { jobId });
  await call('GET /jobs/{jobId}/waitlist/{recruiterId}', { jobId, recruiterId: 13 });
  await call('PATCH /jobs/{jobId}/waitlist', { jobId }, { offerMinutes: 60 });
  await call('DELETE /jobs/{jobId}/waitlist/{recruiterId}', { jobId, recruiterId: 13 });
  await call('DELETE /claims/{id}', { id: claim.id });
  const { entries } = await call('GET /recruiters/{id}/waitlist', { id: 12 });
  await call('POST /claims/{id}/accept', { id: entries[0].offer.claimId }, {});
  await call('DELETE /claims/{id}', { id: entries[0].offer.claimId });
  await call('DELETE /jobs/{jobId}/waitlist/{recruiterId}', { jobId, recruiterId: 14 });
  await call('PATCH /jobs/{id}', { id: jobId }, { capacity: 3 });
}

async function playJobs({ call }: Calls) {
  const company = await call('POST /companies', {}, { name: 'Quayside' });
  const job = await call('POST /jobs', {}, { companyId: company.id, role: 'Diver' });
  await call('PATCH /jobs/{id}', { id: job.id }, { capacity: 6 });
  await call('GET /jobs/{id}', { id: job.id });
  const recruiter = await call('POST /recruiters', {}, { name: 'Nadia Quist' });
  await call('GET /recruiters/{id}', { id: recruiter.id });
  await call('GET /companies/{id}', { id: company.id });
  for (const query of ['', '?q=quay', '?limit=100&cursor=2'])
    for (const list of ['GET /companies', 'GET /recruiters'])
      await call(list, {}, undefined, { query });
  const filters = ['', 'q=engineer kind', 'q=div', 'status=open', 'status=full', 'companyId=1'];
  for (const filter of [...filters, 'companyId=1&status=full&q=engineer', 'limit=100&cursor=50000'])
    await call('GET /jobs', {}, undefined, { query: `?${filter}` });
}

async function playLive({ call, follow }: Calls, origin: string) {
  const company = await call('POST /companies', {}, { name: 'Tidewater' });
  const { id: jobId } = await call('POST /jobs', {}, { companyId: company.id, role: 'Pilot' });
  for (const [recruiterId, query] of [
    [5, `?jobId=${jobId}`],
    [6, `?companyId=${company.id}`],
  ] as const)
    await follow('/jobs/events', query, /^event: job$/m, () =>
      call('POST /jobs/{jobId}/claims', { jobId }, { recruiterId }),
    );
  await follow('/me/events', '?recruiterId=7', /^event: claim$/m, () =>
    call('POST /jobs/{jobId}/claims', { jobId }, { recruiterId: 7 }),
  );
  // The service counts the jobs, and refuses to follow too many jobs.
  expect((await fetch(`${origin}/jobs/events`)).status).toBe(400);
}

async function playWebhooks(calls: Calls) {
  const { call } = calls;
  const receiver = await makeReceiver();
  const ok = receiver.answer;
  const added = { url: receiver.url, description: 'a receiver' };
  const { id } = await call('POST /companies/{id}/endpoints', { id: COMPANY }, added);
  await call('GET /companies/{id}/endpoints', { id: COMPANY });
  await call('POST /endpoints/{id}/test', { id });
  await claimMany(calls, FIRST_JOB + 1_000, 60);
  await receiver.untilReceived(10);
  // The receiver asks for a pause, and then fails.
  const before = receiver.received.length;
  receiver.answer = (answer) => void answer.writeHead(503, { 'Retry-After': '1' }).end();
  await call('POST /endpoints/{id}/test', { id });
  await receiver.untilReceived(before + 1);
  receiver.answer = ok;
  await call('GET /endpoints/{id}', { id });
  const lists = ['', '?status=waiting', '?status=delivered', '?status=failed'];
  for (const query of lists)
    await call('GET /endpoints/{id}/deliveries', { id }, undefined, { query });
  const { deliveries } = await call('GET /endpoints/{id}/deliveries', { id });
  const latest = { id: deliveries[0].id };
  await call('GET /deliveries/{id}', latest);
  await call('POST /deliveries/{id}/resend', latest);
  const resent = receiver.received.length;
  await call('POST /endpoints/{id}/resend', { id }, { since: '2026-01-01T00:00:00Z' });
  await receiver.untilReceived(resent + 10);
  await call('POST /endpoints/{id}/rotate-secret', { id });
  await call('PATCH /endpoints/{id}', { id }, { description: 'the receiver' });
  await call('POST /endpoints/{id}/disable', { id });
  await call('POST /endpoints/{id}/enable', { id });
  await call('DELETE /endpoints/{id}', { id });
}

async function playOperation({ call }: Calls) {
  for (const status of ['', 'waiting', 'running', 'done', 'dead', 'cancelled'])
    await call('GET /tasks', {}, undefined, { query: status && `?status=${status}` });
  const { tasks } = await call('GET /tasks', {}, undefined, {
    query: '?kind=unknown&status=waiting',
  });
  const { id } = tasks[0];
  await call('GET /tasks/{id}', { id });
  await call('POST /tasks/{id}/cancel', { id });
  await call('POST /tasks/{id}/retry', { id });
  await call('GET /workers');
  for (const probe of ['/healthz', '/readyz', '/metrics']) await call(`GET ${probe}`);
}

/** Runs the commands of an operator: the doctor, and a restore. */
async function playCommands(url: string) {
  const { db, close } = databaseOfCommand(url, 'commands');
  await diagnose(db);
  await readWaiting(db);
  await forget(db);
  await close();
}

/**
 * Calls each operation of the service, on a database that `fill` has filled. Asserts that no
 * operation of the OpenAPI document is left out, and that the service logged no error. `url` may
 * lead to a pooler. `direct` leads to the database.
 */
export async function playEverything(direct: string, { url = direct, pooler }: Front = {}) {
  const { log, events } = collectLog();
  const service = await makeService(url, { lab: false, places: 4, log, pooler });
  const calls = callsOf(service.url);
  await playClaims(calls);
  await playWaitlist(calls);
  await playJobs(calls);
  await playLive(calls, service.url);
  await playWebhooks(calls);
  await playOperation(calls);
  const { paths } = await calls.call('GET /openapi.json');
  const documented = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.filter((each) => !calls.called.has(each))).toEqual([]);
  await service.stop();
  await playCommands(direct);
  expect(events).toEqual([] satisfies LogEvent[]);
}

interface Front {
  url?: string;
  pooler?: Pooler;
}
