import { expect, test } from 'vitest';
import { run } from '../../support/command.ts';

// The command starts a PostgreSQL of its own. On a shared server, other tests would see its locks.

/** The check plays 40,000 schedules, on a slow machine 50 a second. */
const PATIENCE_MS = 1_200_000;

test('docs/strategies.md and verdicts.json have what the explorer finds', {
  timeout: PATIENCE_MS,
}, async () => {
  const { ended, stderr } = run('scripts/matrix.ts', ['--check']);
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
});
