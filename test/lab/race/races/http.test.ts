import { count } from 'drizzle-orm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { strategies } from '../../../../src/lab/chapters/claims/strategies/index.ts';
import { createLab, type LabDeps } from '../../../../src/lab/http.ts';
import { labMount } from '../../../../src/lab/mount.ts';
import { type LabStages, openStages } from '../../../../src/lab/stages/lab-stages.ts';
import { companies, jobClaims, jobs, recruiters } from '../../../../src/service/database/schema.ts';
import { collectLog, makeApp, makeService } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';
import { makeRaceCallers } from '../../../support/race-callers.ts';

type Made = Awaited<ReturnType<typeof makeApp>>;
type Asking = Pick<Made['app'], 'request'>;
let made: Made;
let stages: LabStages;

/** A lab on the stages of this file. */
const makeLab = (patience?: LabDeps['patience']) => {
  const stop = new AbortController().signal;
  return createLab({ log: collectLog().log, stages, stop, patience });
};

beforeAll(async () => {
  made = await makeApp();
  stages = openStages(made.databaseUrl, collectLog().log);
  atEnd(() => stages.close());
  made.app.route('/lab', makeLab());
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check the contents of answers.
const json = async (response: Response): Promise<any> => response.json();
const begin = (body: unknown, app: Asking = made.app) =>
  Promise.resolve(
    app.request('/lab/races', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
/** Makes a race, and returns its address and the answer. */
async function makeRace(body: object = {}, app: Asking = made.app) {
  const response = await begin({ strategy: 'row-lock', ...body }, app);
  expect(response.status).toBe(201);
  const { race, jobId, recruiterIds } = await json(response);
  const address = `/lab/races/${race}`;
  expect(response.headers.get('location')).toBe(address);
  const claim = (recruiterId: unknown, job: unknown = jobId) =>
    app.request(`${address}/claim-job?jobId=${job}&recruiterId=${recruiterId}`);
  const end = () => app.request(address, { method: 'DELETE' });
  return { address, recruiterIds, claim, end, standing: () => app.request(address) };
}

test.each(strategies.map(({ name }) => name))(
  'recruiters who ask %s one after the other get the same answers as from production',
  async (strategy) => {
    const { claim, end, standing } = await makeRace({
      strategy: `claims/${strategy}`,
      capacity: 2,
      recruiters: 3,
    });
    const ask = async (recruiterId: number, jobId?: number) => {
      const response = await claim(recruiterId, jobId);
      return [response.status, (await json(response)).code];
    };
    expect(await ask(1)).toEqual([200, undefined]);
    expect(await ask(1)).toEqual([409, 'already-claimed']);
    expect(await ask(9_999_999)).toEqual([404, 'recruiter-not-found']);
    expect(await ask(2)).toEqual([200, undefined]);
    expect(await ask(3)).toEqual([403, 'job-full']);
    expect(await ask(2)).toEqual([409, 'already-claimed']);
    expect(await ask(1, 9_999_999)).toEqual([404, 'job-not-found']);
    expect(await json(await standing())).toEqual({
      capacity: 2,
      taken: 2,
      faults: [],
      summary: '2 claims in the table for 2 slots',
      transactions: expect.any(Number),
    });
    expect((await end()).status).toBe(204);
    for (const answer of [await standing(), await claim(1), await end()]) {
      expect(answer.status).toBe(404);
      expect(await json(answer)).toMatchObject({ code: 'not-found', title: 'No such race' });
    }
  },
);

test('a race has the wanted number of recruiters, and they are not in the tables of the service', async () => {
  const rows = () =>
    Promise.all(
      [companies, jobs, recruiters, jobClaims].map(async (table) => {
        const [row] = await made.db.select({ rows: count() }).from(table);
        return row?.rows;
      }),
    );
  const before = await rows();
  const { recruiterIds, claim, end } = await makeRace({ strategy: 'naive', recruiters: 150 });
  expect(new Set(recruiterIds).size).toBe(150);
  expect((await claim(150)).status).toBe(200);
  expect(await rows()).toEqual(before);
  await end();
  expect(await rows()).toEqual(before);
});

test.each([
  ['', 400, 'invalid-request'],
  ['[]', 400, 'invalid-request'],
  ['not json', 400, 'invalid-request'],
  ['{}', 400, 'invalid-request'],
  ['{"strategy":"naive","capacity":0}', 400, 'invalid-request'],
  ['{"strategy":"naive","recruiters":1001}', 400, 'invalid-request'],
  ['{"strategy":"naive","capacity":"4"}', 400, 'invalid-request'],
  ['{"strategy":"hope"}', 404, 'strategy-not-found'],
  [`{"strategy":"${'x'.repeat(2_000)}"}`, 413, 'body-too-large'],
])('a race request with the body %j gets %i and the code %s', async (body, status, code) => {
  const response = await begin(body);
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await json(response)).toMatchObject({ code });
});

test('a request for a race without JSON gets the detail that the body is not JSON', async () => {
  for (const body of ['', 'not json'])
    expect(await json(await begin(body))).toMatchObject({ detail: 'The body is not JSON.' });
});

// test/slow/lab/race/races/http.test.ts has callers who wait until their turn comes.
describe('the server runs one race over HTTP at a time', () => {
  test('callers who leave the line do not block the next caller', async () => {
    const mount = { ...labMount(), open: () => ({ routes: () => makeLab() }) };
    const { url } = await makeService(made.databaseUrl, { mounts: [mount] });
    const { statuses, ask, end } = makeRaceCallers(url);
    const first = await ask();
    const leaving = Array.from({ length: 21 }, () => new AbortController());
    const waiting = leaving.map(({ signal }) => ask(signal));
    // The line is full, so all other callers wait in it.
    await vi.waitFor(() => expect(statuses).toEqual([201, 503]), { timeout: 20_000 });
    for (const each of leaving) each.abort();
    const left = (await Promise.allSettled(waiting)).filter(({ status }) => status === 'rejected');
    expect(left).toHaveLength(20);
    await end(first);
    await end(await ask());
    expect(statuses).toEqual([201, 503, 201]);
  });
});

/** Makes the app with a lab whose time limits for races are short. */
async function makeImpatient(patience: LabDeps['patience']) {
  const other = await makeApp({ url: made.databaseUrl });
  other.app.route('/lab', makeLab(patience));
  return other.app;
}

test.each([
  ['without requests', { idleMs: 50, longestMs: 60_000 }],
  ['that takes too long', { idleMs: 60_000, longestMs: 50 }],
])('a race %s ends by itself, and the next race begins with the same rows', async (_, patience) => {
  const app = await makeImpatient(patience);
  const first = await makeRace({}, app);
  const second = await makeRace({}, app);
  expect((await first.standing()).status).toBe(404);
  expect(second.recruiterIds).toEqual(first.recruiterIds);
});

test.each([
  ['/lab/races', 'POST'],
  ['/lab/races/1', 'GET, HEAD, DELETE'],
  ['/lab/races/1/claim-job', 'GET'],
])('%s answers 405 to any method but %s', async (path, allow) => {
  const response = await made.app.request(path, { method: 'PUT' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
});
