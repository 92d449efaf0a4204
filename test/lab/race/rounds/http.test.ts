import { count } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLab } from '../../../../src/lab/http.ts';
import type { SeenRound } from '../../../../src/lab/race/rounds/round.ts';
import { type LabStages, openStages } from '../../../../src/lab/stages/lab-stages.ts';
import { BEGIN } from '../../../../src/platform/db/parameters.ts';
import { companies, jobClaims, jobs, recruiters } from '../../../../src/service/database/schema.ts';
import type { App } from '../../../../src/service/program/app.ts';
import { collectLog, makeApp } from '../../../support/app.ts';
import { type Following, follow, newsOf } from '../../../support/events.ts';

let app: App;
let stages: LabStages;
let made: Awaited<ReturnType<typeof makeApp>>;

beforeAll(async () => {
  made = await makeApp();
  app = made.app;
  const { log } = collectLog();
  stages = openStages(made.databaseUrl, log);
  app.route('/lab', createLab({ log, stages, stop: new AbortController().signal }));
});
afterAll(() => stages.close());

const race = (body: unknown) =>
  follow((init) =>
    app.request('/lab/rounds', { ...init, method: 'POST', body: JSON.stringify(body) }),
  );
const until = (following: Following, name: string) =>
  vi.waitFor(() => expect(newsOf(following, name)).not.toEqual([]), { timeout: 20_000 });

const BOTH = { strategies: ['naive', 'row-lock'], recruiters: 8, rounds: 5 };
let both: Promise<Following> | undefined;
/** Returns the news of one whole race of both strategies. Two tests use the same race. */
async function raceBoth(): Promise<Following> {
  both ??= race(BOTH);
  const following = await both;
  await following.ended;
  return following;
}

test('naive and row-lock race in turns: naive oversells, and row-lock does not', async () => {
  const following = await raceBoth();
  const rounds: SeenRound[] = newsOf(following, 'round');
  expect(rounds.map(({ strategy, round }) => `${strategy} ${round}`)).toEqual(
    [1, 2, 3, 4, 5].flatMap((round) => [`naive ${round}`, `row-lock ${round}`]),
  );
  const claimsOf = (name: string) =>
    rounds.filter(({ strategy }) => strategy === name).map(({ taken }) => taken);
  expect(Math.max(...claimsOf('naive'))).toBeGreaterThan(4);
  expect(claimsOf('row-lock')).toEqual([4, 4, 4, 4, 4]);
  for (const { taken, lanes } of rounds)
    expect(lanes.filter(({ status }) => status === 200)).toHaveLength(taken);
  const [done] = newsOf(following, 'done');
  expect(done.results).toMatchObject([
    { strategy: 'naive', promise: 'nothing', worst: Math.max(...claimsOf('naive')) },
    { strategy: 'row-lock', faults: {}, worst: 4, statuses: { 200: 20, 403: 20 } },
  ]);
  expect(done.transcript).toContain(
    '8 recruiters claim one job at the same moment. The job takes 4.',
  );
  expect(done.transcript).toContain('row-lock promised the capacity, and kept the promise.');
});

test('each recruiter has a lane with statements, and waits only for other recruiters', async () => {
  const following = await raceBoth();
  const rounds: SeenRound[] = newsOf(following, 'round');
  for (const { lanes, milliseconds } of rounds) {
    expect(lanes.map(({ session }) => session)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(milliseconds).toBe(Math.max(...lanes.map(({ to }) => to)));
    for (const { session, from, to, statements, waits } of lanes) {
      expect(statements.length).toBeGreaterThan(0);
      for (const span of [...statements, ...waits]) {
        expect(span.from).toBeGreaterThanOrEqual(from);
        expect(span.to).toBeGreaterThanOrEqual(span.from);
        expect(span.to).toBeLessThanOrEqual(to);
      }
      for (const { blocker } of waits) expect(blocker).not.toBe(session);
    }
  }
  const waitsOf = (name: string) =>
    rounds
      .filter(({ strategy }) => strategy === name)
      .flatMap(({ lanes }) => lanes.flatMap(({ waits }) => waits));
  expect(waitsOf('row-lock').length).toBeGreaterThan(0);
  expect(waitsOf('row-lock').every(({ blocker }) => blocker >= 1 && blocker <= 8)).toBe(true);
  expect(waitsOf('naive')).toEqual([]);
  const locking = rounds[1]?.lanes[0]?.statements.map(({ text }) => text) ?? [];
  expect(locking[0]).toBe(BEGIN);
  expect(locking[1]).toMatch(/for update$/);
});

test('the transcript of a round is the text that the command line prints', async () => {
  const following = await race({ strategies: ['row-lock'], recruiters: 5, rounds: 1 });
  await following.ended;
  const [{ transcript }] = newsOf(following, 'round');
  const [title, ...lines] = String(transcript).trimEnd().split('\n');
  expect(title).toBe('row-lock, one round:');
  expect(lines.pop()).toBe('  4 claims in the table for 4 slots');
  // Two answers may arrive in either order.
  const answers = lines.map((line) => line.replace(/^ {2}Recruiter \d: /, ''));
  expect(answers.toSorted()).toEqual([...Array(4).fill('200 OK'), '403 Forbidden']);
});

test('a race leaves no rows in the tables of the service, and none in its scratch database', async () => {
  const counts = (db: typeof made.db) =>
    Promise.all(
      [companies, jobs, recruiters, jobClaims].map(async (table) => {
        const [row] = await db.select({ rows: count() }).from(table);
        return row?.rows;
      }),
    );
  const before = await counts(made.db);
  await (await race(BOTH)).ended;
  expect(await counts(made.db)).toEqual(before);
  const left = await stages.rounds.use((stage) =>
    stage.run('select (select count(*) from jobs) + (select count(*) from job_claims) as rows'),
  );
  expect(left).toMatchObject([{ rows: '0' }]);
});

test('a second race waits, tells its place in the line, and begins when the first caller leaves', async () => {
  const first = await race({ ...BOTH, recruiters: 50, rounds: 20 });
  await until(first, 'round');
  const second = await race({ strategies: ['row-lock'], rounds: 1 });
  await until(second, 'queued');
  expect(newsOf(second, 'queued')).toEqual([{ place: 1 }]);
  first.leave();
  await second.ended;
  expect(newsOf(second, 'done')).toHaveLength(1);
  expect(newsOf(first, 'done')).toEqual([]);
});

test('two callers who ask for the same race get separate races', async () => {
  const order = { ...BOTH, recruiters: 50, rounds: 20 };
  await until(await race(order), 'round');
  const second = await race(order);
  await until(second, 'queued');
  expect(newsOf(second, 'round')).toEqual([]);
});

test.each([
  [{ strategies: [] }, 400, 'strategies is a list of one strategy or two'],
  [{ strategies: ['naive', 'naive', 'naive'] }, 400, 'strategies is a list of one strategy or two'],
  [{ strategies: ['naive'], recruiters: 51 }, 400, 'recruiters is a whole number from 1 to 50'],
  [{ strategies: ['naive'], rounds: 21 }, 400, 'rounds is a whole number from 1 to 20'],
  [{ strategies: ['naive'], rounds: 1.5 }, 400, 'rounds is a whole number from 1 to 20'],
  [{ strategies: ['naive'], capacity: 0 }, 400, 'capacity is a whole number from 1 to 50'],
  [{ strategies: ['hope'] }, 404, 'The strategies of claims are naive'],
  ['naive', 400, ''],
])('the body %j gets the status %i and the detail: %s', async (body, status, detail) => {
  const response = await app.request('/lab/rounds', {
    method: 'POST',
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(status);
  expect(((await response.json()) as { detail: string }).detail).toContain(detail);
});

test('a body that is not JSON gets the status 400 with this reason', async () => {
  const response = await app.request('/lab/rounds', { method: 'POST', body: 'not json' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ detail: 'The body is not JSON.' });
});

test('a strategy that is named twice, with and without its chapter, races once', async () => {
  const following = await race({ strategies: ['naive', 'claims/naive'], rounds: 2 });
  await following.ended;
  expect(newsOf(following, 'round')).toHaveLength(2);
  expect(newsOf(following, 'done')[0].results).toHaveLength(1);
});
