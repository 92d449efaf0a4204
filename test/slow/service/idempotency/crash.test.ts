import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../../src/platform/db/client.ts';
import { connectionLost } from '../../../../src/platform/db/failure.ts';
import {
  type Codecs,
  openSession,
  type SessionSettings,
} from '../../../../src/platform/db/session.ts';
import { createApp } from '../../../../src/service/program/app.ts';
import { collectLog, makeApp } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';

/**
 * A crash at statement number `at`. With `before`, the statement is not sent. With `unheard`, the
 * database has run the statement, but its answer is lost. The test kills the backend. For the
 * database, this is the same as the end of the server's process.
 */
interface Crash {
  at: number;
  when: 'before' | 'unheard';
}

type Made = Awaited<ReturnType<typeof makeApp>>;
let sound: Made;
let admin: postgres.Sql;

beforeAll(async () => {
  sound = await makeApp();
  admin = postgres(sound.databaseUrl, { max: 1 });
  atEnd(() => admin.end());
});

const PID = { text: 'select pg_backend_pid() as pid', params: [], asArrays: false };

/** Sends one request to an app with this crash. Returns the answer and the number of statements. */
async function askCrashing(request: Request, crash?: Crash) {
  let statements = 0;
  const open = (settings: SessionSettings, codecs: Codecs) => {
    const session = openSession(settings, codecs);
    const die = async () => {
      const [row] = (await session.run(PID)) as unknown as { pid: number }[];
      await admin`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
    };
    const run: typeof session.run = async (statement) => {
      statements++;
      if (statements !== crash?.at) return session.run(statement);
      if (crash.when === 'unheard') await session.run(statement);
      await die();
      if (crash.when === 'unheard') throw connectionLost();
      return session.run(statement);
    };
    return { ...session, run };
  };
  const { db, close } = connect(sound.databaseUrl, { connections: 1, open });
  const app = createApp({ db, feed: sound.feed, log: collectLog().log });
  const response = await app.request(request);
  const text = await response.text();
  await close();
  return { status: response.status, text, statements };
}

interface Work {
  name: string;
  /**
   * Makes the needed rows. Returns the request, and `timesDone`, which counts the request's
   * effects.
   */
  prepare(): Promise<{
    method: string;
    path: string;
    body?: unknown;
    timesDone(): Promise<number | undefined>;
  }>;
}

/** Makes a function that runs a query and returns its column `n`. */
const counting =
  (text: TemplateStringsArray, ...values: (string | number)[]) =>
  async () =>
    (await admin<{ n: number }[]>(text, ...values))[0]?.n;

const makeJob = async (): Promise<number> =>
  (await sound.call('POST', '/jobs', { companyId: 1, role: 'A job' })).body.id;
const makeClaim = async (leaseSeconds?: number) =>
  (await sound.call('POST', `/jobs/${await makeJob()}/claims`, { recruiterId: 9, leaseSeconds }))
    .body.claim;

const works: Work[] = [
  {
    name: 'GET /claim-job',
    async prepare() {
      const jobId = await makeJob();
      const timesDone = counting`SELECT count(*)::int AS n FROM job_claims WHERE job_id = ${jobId}`;
      return { method: 'GET', path: `/claim-job?jobId=${jobId}&recruiterId=1`, timesDone };
    },
  },
  {
    name: 'POST /jobs/{jobId}/claims, where an expired claim is in the way',
    async prepare() {
      const { id, jobId } = await makeClaim(60);
      await admin`UPDATE job_claims SET expires_at = now() WHERE id = ${id}`;
      const body = { recruiterId: 9, leaseSeconds: 60 };
      const timesDone = counting`
        SELECT count(*)::int AS n FROM job_claims WHERE job_id = ${jobId} AND id <> ${id}`;
      return { method: 'POST', path: `/jobs/${jobId}/claims`, body, timesDone };
    },
  },
  {
    name: 'DELETE /claims/{id}',
    async prepare() {
      const { id } = await makeClaim();
      const timesDone = counting`
        SELECT 1 - count(*)::int AS n FROM job_claims WHERE id = ${id}`;
      return { method: 'DELETE', path: `/claims/${id}`, timesDone };
    },
  },
  {
    name: 'POST /claims/{id}/renew',
    async prepare() {
      const { id } = await makeClaim(60);
      const timesDone = counting`
        SELECT count(*)::int AS n FROM job_claims
        WHERE id = ${id} AND expires_at > now() + interval '1 hour'`;
      return {
        method: 'POST',
        path: `/claims/${id}/renew`,
        body: { leaseSeconds: 7_200 },
        timesDone,
      };
    },
  },
  {
    name: 'PATCH /jobs/{id}',
    async prepare() {
      const id = await makeJob();
      const timesDone = counting`
        SELECT count(*)::int AS n FROM jobs WHERE id = ${id} AND capacity = 7`;
      return { method: 'PATCH', path: `/jobs/${id}`, body: { capacity: 7 }, timesDone };
    },
  },
  {
    name: 'POST /jobs',
    async prepare() {
      const role = `Crash test ${Math.random()}`;
      const timesDone = counting`SELECT count(*)::int AS n FROM jobs WHERE role = ${role}`;
      return { method: 'POST', path: '/jobs', body: { companyId: 1, role }, timesDone };
    },
  },
];

describe.each(works)('$name', ({ prepare }) => {
  let keys = 0;

  async function prepared() {
    const { method, path, body, timesDone } = await prepare();
    const key = `${method} ${path} ${++keys}`;
    const request = () =>
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': JSON.stringify(key) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const keysKept = async () =>
      (await sound.db.execute(sql`SELECT 1 FROM idempotency_keys WHERE key = ${key}`)).length;
    return { request, timesDone, keysKept };
  }

  test('leaves both the change and the stored answer, or neither, after a crash at any statement', async () => {
    const undisturbed = await prepared();
    const { statements, status } = await askCrashing(undisturbed.request());
    expect(status).toBeLessThan(300);
    expect(statements).toBeGreaterThan(8);
    let bothKept = 0;
    for (let at = 1; at <= statements; at++) {
      for (const when of ['before', 'unheard'] as const) {
        const { request, timesDone, keysKept } = await prepared();
        const crashed = await askCrashing(request(), { at, when });
        const done = await timesDone();
        expect({ at, when, done }).toEqual({ at, when, done: await keysKept() });
        if (crashed.status < 300) expect(done).toBe(1);
        else expect(crashed.status).toBe(503);
        if (done === 1 && crashed.status === 503) bothKept++;
        const again = await sound.app.request(request());
        expect(again.status).toBe(status);
        expect(again.headers.get('idempotent-replayed')).toBe(done === 1 ? 'true' : null);
        const text = await again.text();
        if (crashed.status < 300) expect(text).toBe(crashed.text);
        expect({ at, when, done: await timesDone(), keys: await keysKept() }).toEqual({
          at,
          when,
          done: 1,
          keys: 1,
        });
      }
    }
    // Only a crash that loses the answer to COMMIT has this result: the database keeps the change
    // and its answer, but the client gets 503.
    expect(bothKept).toBe(1);
  });
});
