import { expect, test, vi } from 'vitest';
import { faults, runningFaults } from '../../support/faults.ts';

/** The timeout of a run of one scenario. A slow machine needs long to start the servers. */
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
    { scenario: 'line', findings: [] },
    { scenario: 'failover', restarts: 2, findings: [] },
    { scenario: 'failover, hosts', restarts: 2, findings: [] },
    { scenario: 'soak', memory: anyMemory, findings: [] },
    { scenario: 'workers', findings: [] },
  ]);
  const [backends, server, postgres, servers, line, failover, hosts, soak, workers] = scenarios;
  // The run tested something: claims were granted, and each kind of fault failed some requests.
  for (const { answers } of scenarios) expect(answers[201]).toBeGreaterThan(0);
  expect(line.requests).toBeGreaterThanOrEqual(2_000);
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

test.concurrent.each([
  ['SIGTERM', 143, 'backends'],
  ['SIGINT', 130, 'workers'],
] as const)(
  '%s (exit code %i) in the middle of %s ends every process, and leaves nothing behind',
  { tags: ['ps'], timeout: PATIENCE_MS },
  async (signal, code, scenario) => {
    const { child, ended, stderr, left, stillRun } = await runningFaults(scenario);
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null });
    expect(stderr()).not.toMatch(/Error| {4}at /);
    expect(left()).toEqual([]);
    // The system still lists a killed process for a moment.
    await vi.waitFor(() => expect(stillRun()).toEqual([]), { timeout: 30_000 });
  },
);

test.concurrent('SIGKILL in the middle of workers ends every process, and leaves no data', {
  tags: ['ps'],
  timeout: PATIENCE_MS,
}, async () => {
  const { child, ended, stillRun, left } = await runningFaults('workers');
  child.kill('SIGKILL');
  await ended;
  await vi.waitFor(() => expect([stillRun(), left()]).toEqual([[], []]), { timeout: 30_000 });
});
