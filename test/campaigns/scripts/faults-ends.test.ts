import postgres from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmbedded } from '../../../src/platform/postgres/embedded.ts';
import { faults, runningFaults } from '../../support/faults.ts';

// test/campaigns/scripts/faults.test.ts runs every scenario. test/slow/scripts/faults.test.ts is cheap.

/** The timeout of a run. A slow machine needs long to start the servers. */
const PATIENCE_MS = 240_000;

test('npm run faults does not stop the PostgreSQL of DATABASE_URL, and leaves no database there', {
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

test('npm run faults gives no verdict if the time is too short for all faults', {
  timeout: PATIENCE_MS,
}, async () => {
  const wanted = ['--scenario', 'backends', '--kills', '100000', '--seconds', '1'];
  const { ended, stderr } = faults(wanted);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(/^backends: 1 s were not enough .+--seconds\.$/m);
});

test.concurrent('SIGINT during npm run faults ends every process, and leaves no data', {
  tags: ['ps'],
  timeout: PATIENCE_MS,
}, async () => {
  const { child, ended, stderr, left, stillRun } = await runningFaults('backends');
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
  expect(stderr()).not.toMatch(/Error| {4}at /);
  expect(left()).toEqual([]);
  // The system still lists a killed process for a moment.
  await vi.waitFor(() => expect(stillRun()).toEqual([]), { timeout: 30_000 });
});

test.concurrent('SIGKILL during npm run faults ends every process, and leaves no data', {
  tags: ['ps'],
  timeout: PATIENCE_MS,
}, async () => {
  const { child, ended, stillRun, left } = await runningFaults('backends');
  child.kill('SIGKILL');
  await ended;
  await vi.waitFor(() => expect([stillRun(), left()]).toEqual([[], []]), { timeout: 30_000 });
});
