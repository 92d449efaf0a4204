import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import type { hc } from 'hono/client';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { OPERATIONS_FILE, operationsOf } from '../../scripts/operations.ts';
import { createClient } from '../../src/client/index.ts';
import type { Operations } from '../../src/client/operations.generated.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { documentOf } from '../../src/service/http/docs/document.ts';
import type { App } from '../../src/service/program/app.ts';
import { makeApp } from '../support/app.ts';

const { app } = await makeApp();
const client = createClient('http://localhost', {
  fetch: async (input, init) => app.request(input, init),
});

type Client = ReturnType<typeof hc<App>>;

/** The type of the body of a call's answer with this status. */
type Body<Call, Status> = Call extends (...args: never[]) => Promise<infer Answer>
  ? Extract<Answer, { status: Status }> extends { json(): Promise<infer Content> }
    ? Content
    : never
  : never;

/**
 * For each operation: the type of the call in Hono's client, and the status of its successful
 * answer.
 */
interface Routes {
  claimJobByGet: [Client['claim-job']['$get'], 200];
  claimJob: [Client['jobs'][':jobId']['claims']['$post'], 201];
  listClaimsOfJob: [Client['jobs'][':jobId']['claims']['$get'], 200];
  readClaim: [Client['claims'][':id']['$get'], 200];
  releaseClaim: [Client['claims'][':id']['$delete'], 200];
  renewClaim: [Client['claims'][':id']['renew']['$post'], 200];
  listClaimsOfRecruiter: [Client['recruiters'][':id']['claims']['$get'], 200];
  createJob: [Client['jobs']['$post'], 201];
  listJobs: [Client['jobs']['$get'], 200];
  readJob: [Client['jobs'][':id']['$get'], 200];
  changeJob: [Client['jobs'][':id']['$patch'], 200];
  createCompany: [Client['companies']['$post'], 201];
  listCompanies: [Client['companies']['$get'], 200];
  readCompany: [Client['companies'][':id']['$get'], 200];
  createRecruiter: [Client['recruiters']['$post'], 201];
  listRecruiters: [Client['recruiters']['$get'], 200];
  readRecruiter: [Client['recruiters'][':id']['$get'], 200];
  listTasks: [Client['tasks']['$get'], 200];
  readTask: [Client['tasks'][':id']['$get'], 200];
  retryTask: [Client['tasks'][':id']['retry']['$post'], 200];
  cancelTask: [Client['tasks'][':id']['cancel']['$post'], 200];
  listEventsOfJob: [Client['jobs'][':id']['events']['$get'], 200];
  createEndpoint: [Client['companies'][':id']['endpoints']['$post'], 201];
  listEndpoints: [Client['companies'][':id']['endpoints']['$get'], 200];
  readEndpoint: [Client['endpoints'][':id']['$get'], 200];
  changeEndpoint: [Client['endpoints'][':id']['$patch'], 200];
  deleteEndpoint: [Client['endpoints'][':id']['$delete'], 200];
  rotateSecret: [Client['endpoints'][':id']['rotate-secret']['$post'], 200];
  enableEndpoint: [Client['endpoints'][':id']['enable']['$post'], 200];
  disableEndpoint: [Client['endpoints'][':id']['disable']['$post'], 200];
  testEndpoint: [Client['endpoints'][':id']['test']['$post'], 201];
  resendDeliveriesSince: [Client['endpoints'][':id']['resend']['$post'], 202];
  listDeliveries: [Client['endpoints'][':id']['deliveries']['$get'], 200];
  readDelivery: [Client['deliveries'][':id']['$get'], 200];
  resendDelivery: [Client['deliveries'][':id']['resend']['$post'], 200];
  listWorkers: [Client['workers']['$get'], 200];
  acceptOffer: [Client['claims'][':id']['accept']['$post'], 200];
  joinWaitlist: [Client['jobs'][':jobId']['waitlist']['$post'], 200];
  leaveWaitlist: [Client['jobs'][':jobId']['waitlist'][':recruiterId']['$delete'], 200];
  readPlaceInLine: [Client['jobs'][':jobId']['waitlist'][':recruiterId']['$get'], 200];
  listWaitlistsOfRecruiter: [Client['recruiters'][':id']['waitlist']['$get'], 200];
  listWaitlist: [Client['jobs'][':jobId']['waitlist']['$get'], 200];
  changeWaitlist: [Client['jobs'][':jobId']['waitlist']['$patch'], 200];
}

/** A task without its payload. The payload may be any JSON, so its type cannot be compared. */
type Told<T> = T extends { kind: string; payload?: unknown } ? Omit<T, 'payload'> : T;

/** True if each of the two types is assignable to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Typed = {
  [Name in keyof Operations]: Same<
    Told<Body<Routes[Name][0], Routes[Name][1]>>,
    Told<Operations[Name]['data']>
  >;
};

test('the generated operations match the routes (npm run generate:client makes them)', () => {
  expect(readFileSync(inProject(OPERATIONS_FILE), 'utf8')).toBe(
    operationsOf(documentOf(app, { tokens: true })),
  );
});

test('the client gives each answer the type that the route declares', () => {
  const typed: Typed = {
    claimJobByGet: true,
    claimJob: true,
    listClaimsOfJob: true,
    readClaim: true,
    releaseClaim: true,
    renewClaim: true,
    listClaimsOfRecruiter: true,
    createJob: true,
    listJobs: true,
    readJob: true,
    changeJob: true,
    createCompany: true,
    listCompanies: true,
    readCompany: true,
    createRecruiter: true,
    listRecruiters: true,
    readRecruiter: true,
    listTasks: true,
    readTask: true,
    retryTask: true,
    cancelTask: true,
    listEventsOfJob: true,
    createEndpoint: true,
    listEndpoints: true,
    readEndpoint: true,
    changeEndpoint: true,
    deleteEndpoint: true,
    rotateSecret: true,
    enableEndpoint: true,
    disableEndpoint: true,
    testEndpoint: true,
    resendDeliveriesSince: true,
    listDeliveries: true,
    readDelivery: true,
    resendDelivery: true,
    listWorkers: true,
    acceptOffer: true,
    joinWaitlist: true,
    leaveWaitlist: true,
    readPlaceInLine: true,
    listWaitlistsOfRecruiter: true,
    listWaitlist: true,
    changeWaitlist: true,
  };
  for (const name of Object.keys(typed)) expect(client).toHaveProperty(name);
});

test('`ok` narrows the type of an answer to its data or to its codes', async () => {
  const request = { jobId: 1, recruiterId: 1 };
  const claimed = await client.claimJob(request);
  if (!claimed.ok) throw new Error(`answered ${claimed.code}`);
  expect(claimed).toMatchObject({ status: 201, data: { claim: request } });

  const again = await client.claimJob(request);
  if (again.ok) throw new Error('claimed twice');
  expectTypeOf<'already-claimed' | 'job-full' | 'no-answer'>().toExtend<typeof again.code>();
  expectTypeOf<'no-lease'>().not.toExtend<typeof again.code>();
  expect(again.code).toBe('already-claimed');
});

describe('a request', () => {
  type Asked = { url: string; headers: Headers };
  /** Makes a client whose requests get these answers, one after the other. */
  function answering(answers: (Response | Error)[], token?: Parameters<typeof createClient>[1]) {
    const asked: Asked[] = [];
    const rowlock = createClient('http://localhost/', {
      ...token,
      fetch: async (input, init) => {
        asked.push({ url: String(input), headers: new Headers(init?.headers) });
        const answer = answers.shift();
        if (answer instanceof Response) return answer;
        throw answer;
      },
    });
    const keys = () => new Set(asked.map(({ headers }) => headers.get('Idempotency-Key')));
    return { rowlock, asked, keys };
  }
  const refused = (status: number, code: string, headers = {}) =>
    Response.json({ type: '', title: '', status, detail: '', code }, { status, headers });
  const done = () => Response.json({ claim: { id: 1 } }, { status: 201 });
  const soon = { 'Retry-After': '0' };
  const claim = { jobId: 1, recruiterId: 1 };

  test('that writes is repeated with the same key until the service does the write', async () => {
    const answers = [refused(503, 'busy', soon), new TypeError('no network'), done()];
    const { rowlock, asked, keys } = answering(answers);
    const waits: string[] = [];
    const answer = await rowlock.claimJob(claim, { onWait: ({ code }) => waits.push(code) });
    expect(answer.ok).toBe(true);
    expect(asked).toHaveLength(3);
    expect([...keys()]).toEqual([expect.stringMatching(/^\d+-\d+-\d+-\d+$/)]);
    expect(waits).toEqual(['busy', 'no-answer']);
  });

  test('that writes has its own key, and a request that reads has no key', async () => {
    const { rowlock, keys } = answering([done(), done(), Response.json({ jobs: [] })]);
    await rowlock.claimJob(claim);
    await rowlock.claimJob(claim);
    expect(keys().size).toBe(2);
    await rowlock.listJobs();
    expect(keys()).toContain(null);
  });

  test('is sent at most five times, and only once if Retry-After is missing or too long', async () => {
    const busy = Array.from({ length: 9 }, () => refused(503, 'busy', soon));
    const patient = answering(busy);
    expect(await patient.rowlock.claimJob(claim)).toMatchObject({ ok: false, code: 'busy' });
    expect(patient.asked).toHaveLength(5);
    const final = answering([refused(403, 'job-full')]);
    expect(await final.rowlock.claimJob(claim)).toMatchObject({ ok: false, code: 'job-full' });
    const late = answering([refused(429, 'too-many-requests', { 'Retry-After': '3600' })]);
    expect(await late.rowlock.listJobs()).toMatchObject({ code: 'too-many-requests' });
  });

  test('is repeated if a proxy answers in place of the service', async () => {
    const page = () => new Response('<html>Bad gateway</html>', { status: 502 });
    const { rowlock, asked } = answering([page(), done()]);
    expect((await rowlock.claimJob(claim)).ok).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test('ends with its signal, also during a pause', async () => {
    const { rowlock } = answering([refused(503, 'busy', { 'Retry-After': '50' })]);
    const leaving = new AbortController();
    const asked = rowlock.claimJob(claim, {
      signal: leaving.signal,
      onWait: () => leaving.abort(new Error('left')),
    });
    await expect(asked).rejects.toThrow('left');
  });

  test('asks for a new token after 401, and all waiting requests share this token', async () => {
    const answers = [refused(401, 'unauthorized'), refused(401, 'unauthorized'), done(), done()];
    const tokens: (string | undefined)[] = [];
    const token = (old?: string) => {
      tokens.push(old);
      return `t${tokens.length}`;
    };
    const { rowlock, asked, keys } = answering(answers, { token });
    const both = await Promise.all([rowlock.claimJob(claim), rowlock.claimJob(claim)]);
    expect(both.map(({ ok }) => ok)).toEqual([true, true]);
    expect(tokens).toEqual([undefined, 't1']);
    const sent = asked.map(({ headers }) => headers.get('Authorization'));
    expect(sent).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2']);
    expect(keys().size).toBe(2);
  });

  test('is refused if there is no other token, and throws the error of the token function', async () => {
    const { rowlock } = answering([refused(401, 'unauthorized')], { token: () => 'old' });
    expect(await rowlock.listJobs()).toMatchObject({ code: 'unauthorized' });
    const broken = answering([], {
      token: () => {
        throw new Error('no session');
      },
    });
    await expect(broken.rowlock.listJobs()).rejects.toThrow('no session');
  });

  test('has the token of the next person after forgetToken', async () => {
    const people = ['ada', 'grace'];
    const token = () => people.shift();
    const { rowlock, asked } = answering([done(), done(), done()], { token });
    await rowlock.claimJob(claim);
    await rowlock.claimJob(claim);
    rowlock.forgetToken();
    await rowlock.claimJob(claim);
    const sent = asked.map(({ headers }) => headers.get('Authorization'));
    expect(sent).toEqual(['Bearer ada', 'Bearer ada', 'Bearer grace']);
  });

  test('encodes its arguments', async () => {
    const { rowlock, asked } = answering([Response.json({}), Response.json({})]);
    await rowlock.readJob({ id: '../x?y' });
    await rowlock.listClaimsOfRecruiter({ id: 1, jobId: [2, 3], limit: 5 });
    expect(asked.map(({ url }) => url)).toEqual([
      'http://localhost/jobs/..%2Fx%3Fy',
      'http://localhost/recruiters/1/claims?jobId=2&jobId=3&limit=5',
    ]);
  });
});

test.each(['localhost:3000', 'nonsense'])('a client refuses the address "%s"', (address) => {
  expect(() => createClient(address)).toThrow(
    `The address needs http:// or https://: "${address}"`,
  );
});

test('the minified client has less than 15 kB', async () => {
  const { outputFiles } = await build({
    entryPoints: [inProject('src/client/index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    tsconfigRaw: {},
  });
  expect(outputFiles[0]?.contents.length).toBeLessThan(15_000);
});
