import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../support/command.ts';

// The command starts a PostgreSQL of its own. On a shared server, other tests would see its locks.

/**
 * The check prints its progress every five seconds. A check that prints nothing for this long
 * hangs.
 */
const SILENCE_MS = 120_000;
/**
 * The check plays 40,000 schedules. It takes nine minutes alone on two cores, and more than 20
 * minutes beside other campaigns. `SILENCE_MS` ends a check that hangs, so this limit may be high.
 */
const MOST_MS = 3_600_000;

test('docs/strategies.md and verdicts.generated.json agree with the explorer', {
  tags: ['redis', 'etcd'],
  timeout: MOST_MS,
}, async () => {
  const { child, ended, stderr } = run('scripts/matrix.ts', ['--check']);
  const silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
  onTestFinished(() => clearTimeout(silence));
  child.stderr?.on('data', () => silence.refresh());
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
});
