import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import postgres from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmbedded } from '../../../src/postgres/embedded.ts';
import { isRunning, makeTmpDir, run } from '../../support/command.ts';

const faults = (args: string[], env = {}) => run('scripts/faults.ts', args, env);

/** How long the first faults may take. A slow machine needs long to start the servers. */
const START_PATIENCE_MS = 150_000;
/** The timeout of a run. */
const PATIENCE_MS = 240_000;
/** The timeout of a run of all scenarios. */
const LONG_PATIENCE_MS = 400_000;

test('a short run of every scenario breaks no promise', { timeout: LONG_PATIENCE_MS }, async () => {
  const short = ['--kills', '25', '--restarts', '2', '--servers', '2', '--requests', '2000'];
  const { ended, stdout, stderr } = faults([...short, '--tasks', '500', '--json']);
  const { code } = await ended;
  expect({ code, stdout: stdout(), stderr: stderr() }).toMatchObject({ code: 0 });
  const { scenarios } = JSON.parse(stdout());
  expect(scenarios).toMatchObject([
    { scenario: 'backends', findings: [] },
    { scenario: 'server', restarts: 2, findings: [] },
    { scenario: 'postgres', restarts: 2, findings: [] },
    { scenario: '2 servers', findings: [] },
    { scenario: 'failover', restarts: 2, findings: [] },
    { scenario: 'failover, hosts', restarts: 2, findings: [] },
    { scenario: 'soak', memory: anyMemory, findings: [] },
    { scenario: 'workers', findings: [] },
  ]);
  const [backends, server, postgres, servers, failover, hosts, soak, workers] = scenarios;
  // The run tested something: claims were granted, and each kind of fault failed some requests.
  for (const { answers } of scenarios) expect(answers[201]).toBeGreaterThan(0);
  expect(backends.kills).toBeGreaterThanOrEqual(25);
  const { '503 busy': busy = 0, '503 outcome-unknown': unknown = 0 } = backends.answers;
  expect(busy + unknown).toBeGreaterThanOrEqual(25);
  expect(server.answers.refused).toBeGreaterThan(0);
  expect(postgres.answers['503 busy']).toBeGreaterThan(0);
  expect(servers.answers.refused).toBeGreaterThan(0);
  expect(soak.requests).toBeGreaterThanOrEqual(2_000);
  for (const name of ['404 recruiter-not-found', '413 body-too-large', '200 stream'])
    expect(soak.answers[name]).toBeGreaterThan(0);
  for (const { answeredAgainMs } of [server, postgres]) expect(answeredAgainMs).toHaveLength(2);
  // Each loss of the primary is followed by a planned switchover.
  for (const { answeredAgainMs, answers } of [failover, hosts]) {
    expect(answeredAgainMs).toHaveLength(4);
    expect(answers['503 busy']).toBeGreaterThan(0);
  }
  const { tasks, arrivals, lost, faults: made } = workers.workers;
  expect(made).toEqual({ kill: 5, terminate: 5, freeze: 1, stall: 1, lock: 1, crash: 1 });
  expect(tasks).toBeGreaterThanOrEqual(500);
  // Messages were repeated, and workers lost tasks.
  expect(arrivals).toBeGreaterThan(tasks);
  expect(lost).toBeGreaterThan(0);
});

const anyMemory = { halfMb: expect.any(Number), endMb: expect.any(Number) };

test("the faults do not stop somebody's PostgreSQL, and leave it as it was", {
  timeout: PATIENCE_MS,
}, async () => {
  const { url, stop } = await startEmbedded();
  onTestFinished(stop);
  const scenarios = ['postgres', 'failover', 'workers', 'backends'];
  const wanted = [...scenarios.flatMap((name) => ['--scenario', name]), '--kills', '3'];
  const { ended, stdout, stderr } = faults(wanted, { DATABASE_URL: url });
  expect((await ended).code).toBe(0);
  expect(stderr()).toMatch(/^SKIPPED: postgres/m);
  expect(stderr()).toMatch(/^SKIPPED: failover/m);
  expect(stderr()).toMatch(/^SKIPPED: workers/m);
  expect(stdout()).toMatch(/^backends /m);
  expect(stdout()).toContain('Verdict: every promise was kept.');
  const sql = postgres(url, { max: 1 });
  const databases = await sql`SELECT datname FROM pg_database WHERE datname LIKE 'rowlock%'`;
  await sql.end();
  expect(databases).toEqual([]);
});

test('there is no verdict if the faults cannot be made in time', {
  timeout: PATIENCE_MS,
}, async () => {
  const wanted = ['--scenario', 'backends', '--kills', '100000', '--seconds', '1'];
  const { ended, stderr } = faults(wanted);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(/^backends: 1 s were not enough .+--seconds\.$/m);
});

/** The ids of the command's child processes: the server, and the guard of PostgreSQL. */
const childrenOf = (pid: number | undefined): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));

/**
 * Starts a run with its own directory for temporary files. Resolves in the middle of the faults.
 */
async function running(scenario: string) {
  const TMPDIR = makeTmpDir();
  const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('rowlock-'));
  const wanted = ['--scenario', scenario, '--kills', '100000', '--tasks', '100000'];
  const command = faults(wanted, { TMPDIR });
  const says = () => expect(command.stderr()).toMatch(new RegExp(`${scenario}: \\d+ of`));
  await vi.waitFor(says, { timeout: START_PATIENCE_MS });
  const children = childrenOf(command.child.pid);
  expect(children.length).toBeGreaterThanOrEqual(2);
  expect(left()).toHaveLength(1);
  return { ...command, left, stillRun: () => children.filter(isRunning) };
}

test.concurrent.each([
  ['SIGINT', 130, 'backends'],
  ['SIGTERM', 143, 'backends'],
  ['SIGINT', 130, 'workers'],
] as const)(
  '%s (exit code %i) in the middle of %s ends every process, and leaves nothing behind',
  { timeout: PATIENCE_MS },
  async (signal, code, scenario) => {
    const { child, ended, stderr, left, stillRun } = await running(scenario);
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null });
    expect(stderr()).not.toMatch(/Error| {4}at /);
    expect(left()).toEqual([]);
    // The system still lists a killed process for a moment.
    await vi.waitFor(() => expect(stillRun()).toEqual([]), { timeout: 30_000 });
  },
);

test.concurrent.each(['backends', 'workers'])(
  'SIGKILL in the middle of %s ends every process, and leaves no data',
  {
    timeout: PATIENCE_MS,
  },
  async (scenario) => {
    const { child, ended, stillRun, left } = await running(scenario);
    child.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect([stillRun(), left()]).toEqual([[], []]), { timeout: 30_000 });
  },
);
