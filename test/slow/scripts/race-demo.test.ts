import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { startEmbedded } from '../../../src/platform/postgres/embedded.ts';
import { makeService } from '../../support/app.ts';
import { atEnd, makeTmpDir } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';
import { demo, expectRefusal, offer, serve, withoutProgress } from '../../support/race-demo.ts';

test.concurrent('the demo on its own PostgreSQL shows that naive oversells and row-lock does not', async () => {
  const { ended, stdout, stderr } = demo(['--rounds', '5', '--recruiters', '8']);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(withoutProgress(stderr())).toBe('');
  expect(stdout()).toMatch(/Recruiter \d: 200 OK/);
  expect(stdout()).toMatch(/Recruiter \d: 403 Forbidden/);
  expect(stdout()).toMatch(/naive oversold in [1-5] of 5 rounds/);
  expect(stdout()).toMatch(/row-lock never gave out more than 4 slots/);
  expect(stdout()).toMatch(/Verdict: row-lock promised the capacity, and kept the promise\./);
  expect(stdout()).not.toContain('\x1b');
});

test.concurrent('--json prints one object and nothing else', async () => {
  const { ended, stdout, stderr } = demo(
    ['--json', '--rounds', '3', '--recruiters', '6', '--capacity', '2', '--strategy', 'row-lock'],
    { DATABASE_URL: inject('scratchUrl') },
  );
  expect((await ended).code).toBe(0);
  expect(withoutProgress(stderr())).toBe('');
  expect(JSON.parse(stdout())).toEqual({
    capacity: 2,
    recruiters: 6,
    rounds: 3,
    strategies: [
      {
        chapter: 'claims',
        strategy: 'row-lock',
        promise: 'capacity',
        faults: {},
        worst: 2,
        statuses: { 200: 6, 403: 12 },
      },
    ],
  });
});

test.concurrent('--costs counts the transactions of a request, and the time of a round', async () => {
  const args = ['--costs', '--rounds', '3', '--recruiters', '20'];
  const { ended, stdout } = demo([...args, '--strategy', 'naive,row-lock,serializable'], {
    DATABASE_URL: inject('scratchUrl'),
  });
  expect((await ended).code).toBe(0);
  expect(stdout()).toMatch(/^strategy +ms per round +transactions per request$/m);
  const costs = [...stdout().matchAll(/^(\S+) +(\d+) +(\d\.\d\d)$/gm)];
  expect(costs.map(([, name]) => name)).toEqual(['naive', 'row-lock', 'serializable']);
  for (const [, , milliseconds] of costs) expect(Number(milliseconds)).toBeGreaterThan(0);
  const [naive, lock, serializable] = costs.map(([, , , begun]) => Number(begun));
  expect([naive, lock]).toEqual([0, 1]);
  expect(serializable).toBeGreaterThan(1);
});

test('--url races a running server, and leaves its tables as they are', async () => {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  // A sequence changes even if a new row was removed again.
  const used = () =>
    sql`SELECT schemaname, sequencename, last_value FROM pg_sequences ORDER BY 1, 2`;
  const before = await used();
  const { url } = await makeService(databaseUrl);
  const crowd = ['--recruiters', '150', '--rounds', '2', '--strategy', 'naive'];
  const { ended, stdout } = demo(['--url', url, ...crowd]);
  expect((await ended).code).toBe(0);
  expect(stdout()).toMatch(/naive/);
  expect(await used()).toEqual(before);
});

test.concurrent('--chapter queue kills workers, and counts the results of the tasks', async () => {
  const { ended, stdout } = demo(
    ['--chapter', 'queue', '--json', '--rounds', '4', '--workers', '6', '--strategy', 'production'],
    { DATABASE_URL: inject('scratchUrl') },
  );
  expect((await ended).code).toBe(0);
  const { strategies, ...order } = JSON.parse(stdout());
  expect(order).toEqual({ workers: 6, tasks: 20, rounds: 4 });
  expect(strategies).toMatchObject([
    { strategy: 'production', faults: {}, counts: { once: 80, twice: 0, lost: 0, stuck: 0 } },
  ]);
  expect(strategies[0].killed).toBeGreaterThan(0);
});

test.concurrent('--chapter retries kills servers, and counts the charges', async () => {
  const args = ['--chapter', 'retries', '--json', '--rounds', '5'];
  const { ended, stdout, stderr } = demo(args, { DATABASE_URL: inject('scratchUrl') });
  expect((await ended).code).toBe(0);
  expect(withoutProgress(stderr())).toBe('');
  const { strategies, ...order } = JSON.parse(stdout());
  expect(order).toEqual({ requests: 12, keys: 4, rounds: 5 });
  expect(strategies).toMatchObject([
    { strategy: 'check-then-act' },
    { strategy: 'insert-first', counts: { twice: 0 } },
    { strategy: 'production', faults: {}, counts: { once: 20, twice: 0, never: 0, untold: 0 } },
  ]);
  const kills = strategies.map(({ killed }: { killed: number }) => killed);
  expect(Math.max(...kills)).toBeGreaterThan(0);
});

test.concurrent('--trace writes into the folder in which a person called npm', async () => {
  const INIT_CWD = makeTmpDir();
  const env = { DATABASE_URL: inject('scratchUrl'), INIT_CWD };
  const args = ['--trace', 'race.json', '--strategy', 'row-lock', '--rounds', '1'];
  expect((await demo(args, env).ended).code).toBe(0);
  const trace = JSON.parse(readFileSync(path.join(INIT_CWD, 'race.json'), 'utf8'));
  expect(trace.traceEvents.length).toBeGreaterThan(0);
});

// test/campaigns/scripts/race-demo.test.ts tests wrong options.
test.concurrent.each([
  ['is not Rowlock', () => [200, '<p>Hi</p>'], /answered GET \/lab\/strategies with 200/],
  [
    'cannot prepare a race',
    (path) => (path === '/lab/strategies' ? [200, offer] : [500, '{}']),
    /answered POST \/lab\/races with 500/,
  ],
  [
    'has no room for another race',
    (path) => (path === '/lab/strategies' ? [200, offer] : [503, '{}']),
    /answered POST \/lab\/races with 503: it is busy.*Try again\.\n$/,
  ],
] satisfies [string, (path: string) => [number, unknown], RegExp][])(
  'a server that %s is reported in one line with exit code 2',
  async (_, answers, words) => {
    const { ended, stderr } = demo(['--url', await serve(answers), '--strategy', 'row-lock']);
    expect((await ended).code).toBe(2);
    expect(stderr()).toMatch(words);
    expect(stderr().trimEnd().split('\n')).toHaveLength(1);
  },
);

test.concurrent('claims/all means all strategies of claims, but an unknown strategy is refused', async () => {
  const url = await serve((path) => (path === '/lab/strategies' ? [200, offer] : [500, '{}']));
  const all = demo(['--url', url, '--strategy', 'claims/all']);
  const wrong = demo(['--url', url, '--strategy', 'all', '--strategy', 'nope']);
  await all.ended;
  expect(all.stderr()).toMatch(/answered POST \/lab\/races/);
  expect((await wrong.ended).code).toBe(2);
  expect(wrong.stderr()).toMatch(/^There is no strategy "nope"/);
});

test.concurrent('a server that has no lab is reported in one line with exit code 2', async () => {
  const url = await serve(() => [404, '{}']);
  await expectRefusal(
    demo(['--url', url, '--strategy', 'row-lock']),
    /answered GET \/lab\/strategies with 404.*LAB=on/,
  );
});

test.concurrent('the demo fails if its race grants no slot', async () => {
  const url = await serve((path) => {
    if (path === '/lab/strategies') return [200, offer];
    if (path === '/lab/races')
      return [201, { race: 'a', requests: ['claim-job?1', 'claim-job?2'] }];
    if (path.includes('claim-job')) return [503, {}];
    return path === '/lab/races/a'
      ? [200, { capacity: 4, taken: 0, faults: [], summary: '' }]
      : [404, {}];
  });
  const { ended, stdout } = demo(['--url', url, '--rounds', '1', '--strategy', 'row-lock']);
  expect((await ended).code).toBe(2);
  expect(stdout()).toContain('row-lock gave out no slot at all, and 2 answers 503.');
  expect(stdout()).toContain('NOTHING SHOWN. Nobody got anything from row-lock.');
});

test.concurrent('an unknown strategy is refused with the names of the known strategies', async () => {
  const { ended, stderr } = demo(['--strategy', 'hope'], { DATABASE_URL: inject('scratchUrl') });
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(
    /^There is no strategy "hope"\. The strategies of claims are naive, transaction, /,
  );
});

test.concurrent.each([
  ['SIGTERM', 143, 'claims/naive', /recruiters claim one job/],
  ['SIGINT', 130, 'claims/naive', /recruiters claim one job/],
  ['SIGINT', 130, 'retries/none', /requests with 4 keys come at once/],
] as const)(
  '%s ends the demo with exit code %i, and nothing is left behind: %s',
  async (signal, code, strategy, words) => {
    const TMPDIR = makeTmpDir();
    const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('rowlock-'));

    const options = ['--rounds', '10000', '--strategy', strategy];
    const { child, says, ended, stderr } = demo(options, { TMPDIR });
    await says(words);
    expect(left()).toHaveLength(1);
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null });
    expect(stderr()).not.toMatch(/Error| {4}at /);
    expect(left()).toEqual([]);
  },
);

test('the demo ends if nobody reads its output any more, and drops its database', async () => {
  // This test uses its own server, since other tests have scratch databases on the shared server.
  const server = await startEmbedded();
  const sql = postgres(server.url, { max: 1 });
  atEnd(async () => {
    await sql.end();
    await server.stop();
  });
  const databases = async () =>
    (await sql`SELECT FROM pg_database WHERE datname LIKE 'rowlock_scratch%'`).length;
  const { child, says, ended, stderr } = demo(['--rounds', '5'], { DATABASE_URL: server.url });
  await says(/recruiters claim one job/);
  expect(await databases()).toBeGreaterThan(0);
  child.stdout?.destroy();
  expect(await ended).toEqual({ code: 141, signal: null });
  expect(withoutProgress(stderr())).toBe('');
  expect(await databases()).toBe(0);
});

test.concurrent.each([
  [['--rounds', '0'], /--rounds must be a whole number from 1 to 100000/],
  [['--chapter', 'queue', '--recruiters', '5'], /^A race of queue has no --recruiters\./],
])('%j is refused in one line with exit code 2', async (args, words) => {
  await expectRefusal(demo(args), words);
});

test.concurrent('an unreachable database is reported in one line with exit code 2', async () => {
  const DATABASE_URL = 'postgres://me:hunter2@127.0.0.1:1/jobs';
  await expectRefusal(demo([], { DATABASE_URL }), /^Cannot use PostgreSQL(?!.*hunter2)/);
});
