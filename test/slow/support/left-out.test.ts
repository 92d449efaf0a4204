import { expect, test } from 'vitest';
import { start } from '../../support/command.ts';

/** Runs a test file that needs Redis, without Redis on the PATH. Returns the output. */
async function runWithoutRedis(env: Record<string, string> = {}) {
  const words = ['node_modules/vitest/vitest.mjs', 'run', 'test/lab/stores/redis.test.ts'];
  const { ended, stdout, stderr } = start(process.execPath, words, env);
  const { code } = await ended;
  return { code, stdout: stdout(), lines: stderr().trimEnd().split('\n') };
}

const LINE = 'Left out: 5 tests (Redis: redis-server 5). Install the packages to run them.';

test('a test run without a needed program ends with a line that counts the tests left out', async () => {
  const { code, stdout, lines } = await runWithoutRedis({ CI: 'true' });
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: LINE });
  expect(stdout).toContain('5 skipped');
});

test('a test run without a needed program fails if REQUIRE_PROGRAMS is set', async () => {
  const { code, lines } = await runWithoutRedis({ REQUIRE_PROGRAMS: '1' });
  expect(code).toBe(1);
  expect(lines.slice(-2)).toEqual([LINE, 'REQUIRE_PROGRAMS is set, so this run fails.']);
});
