import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { atEnd, type Command, run } from '../support/command.ts';

const faults = (args: string[], env = {}) => run('scripts/faults.ts', args, env);
const onScratch = { DATABASE_URL: inject('scratchUrl') };

/** The results by the names of their scenarios. */
async function resultsOf({ ended, stdout, stderr }: Command) {
  const { code } = await ended;
  expect({ code, stdout: stdout(), stderr: stderr() }).toMatchObject({ code: 0 });
  return JSON.parse(stdout()).scenarios;
}

/** They start servers, and machines may be slow. */
const PATIENCE_MS = 180_000;

test('backends ended in their transactions break no promise', {
  timeout: PATIENCE_MS,
}, async () => {
  const run = faults(['--scenario', 'backends', '--kills', '25', '--json'], onScratch);
  const [result, ...others] = await resultsOf(run);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ scenario: 'backends', findings: [] });
  expect(result.kills).toBeGreaterThanOrEqual(25);
  expect(result.answers['503 outcome-unknown']).toBeGreaterThanOrEqual(25);
  expect(result.answers[201]).toBeGreaterThan(0);
});

test('a server killed under load breaks none, and is back', { timeout: PATIENCE_MS }, async () => {
  const run = faults(['--scenario', 'server', '--restarts', '2', '--json'], onScratch);
  const [result] = await resultsOf(run);
  expect(result).toMatchObject({ scenario: 'server', restarts: 2, findings: [] });
  expect(result.answeredAgainMs).toHaveLength(2);
  expect(result.answers.refused).toBeGreaterThan(0);
});

test('a PostgreSQL stopped under load breaks none, and is back', {
  timeout: PATIENCE_MS,
}, async () => {
  const [result] = await resultsOf(faults(['--scenario', 'postgres', '--restarts', '2', '--json']));
  expect(result).toMatchObject({ scenario: 'postgres', restarts: 2, findings: [] });
  expect(result.answeredAgainMs).toHaveLength(2);
  expect(result.answers['503 busy']).toBeGreaterThan(0);
});

test('two servers behave as one, and so does the one left', { timeout: PATIENCE_MS }, async () => {
  const run = faults(['--scenario', 'servers', '--servers', '2', '--json'], onScratch);
  expect(await resultsOf(run)).toMatchObject([{ scenario: '2 servers', findings: [] }]);
});

test("somebody's PostgreSQL is not stopped, and the command says so", async () => {
  const { ended, stderr, stdout } = faults(['--scenario', 'postgres'], onScratch);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(/^SKIPPED: postgres/);
  expect(stdout()).toContain('Verdict: nothing was played.');
});

test('faults that cannot be made in time are no verdict', async () => {
  const wanted = ['--scenario', 'backends', '--kills', '100000', '--seconds', '1'];
  const { ended, stderr } = faults(wanted, onScratch);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(/^backends: 1 s were not enough .+--seconds\.$/m);
});

test.concurrent('--help says what there is and ends with 0', async () => {
  const { ended, stdout } = faults(['--help']);
  expect((await ended).code).toBe(0);
  for (const option of ['scenario', 'kills', 'restarts', 'servers', 'seconds', 'json'])
    expect(stdout()).toContain(`--${option}`);
});

test.concurrent.each([
  [['--kills', '0'], /--kills must be a whole number from 1 to 100000/],
  [['--scenario', 'flood'], /--scenario must be one of backends, server, postgres, servers/],
  [['--servers', '1'], /--servers must be a whole number from 2 to 8/],
  [['--frobnicate'], /--frobnicate/],
])('%j is refused in one line with exit code 2', async (args, words) => {
  const { ended, stderr } = faults(args);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(words);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
});

test('SIGINT in the middle of it ends everything and leaves nothing behind', async () => {
  const TMPDIR = mkdtempSync(path.join(tmpdir(), 'rowlock-test-'));
  // Run by root, PostgreSQL has another user, who has to get in.
  chmodSync(TMPDIR, 0o755);
  atEnd(() => rmSync(TMPDIR, { recursive: true, force: true }));
  const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('rowlock-'));

  const { child, ended, stderr } = faults(['--scenario', 'backends', '--kills', '100000'], {
    TMPDIR,
  });
  await vi.waitFor(() => expect(stderr()).toMatch(/backends: \d+ of/), { timeout: 30_000 });
  expect(left()).toHaveLength(1);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
  expect(stderr()).not.toMatch(/Error| {4}at /);
  expect(left()).toEqual([]);
});
