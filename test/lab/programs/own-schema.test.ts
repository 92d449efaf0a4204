import { afterEach, expect, test, vi } from 'vitest';
import { assertUsable } from '../../../src/lab/programs/own-schema.ts';
import type { Session } from '../../../src/platform/db/session.ts';

afterEach(() => void vi.useRealTimers());

const ENDLESS = 'select pg_sleep(1000)';
const SCHEMA = { file: 'schema.sql', text: '', invariant: 'select where false' };

/** A session on which the endless query gets no answer. */
function makeSession(): Session {
  const run: Session['run'] = async ({ text }) =>
    text.includes(ENDLESS)
      ? new Promise(() => undefined)
      : Object.assign([], { command: 'SELECT' });
  return { run, isAlive: () => true, close: vi.fn(async () => undefined) };
}

// test/campaigns/lab/own/programs.test.ts and test/campaigns/scripts/programs.test.ts use
// PostgreSQL.
test.each([
  ['schema.sql', { ...SCHEMA, text: ENDLESS }],
  ['--invariant', { ...SCHEMA, invariant: ENDLESS }],
])('endless SQL in %s is refused after 20 s and closes its session', async (what, schema) => {
  vi.useFakeTimers();
  const session = makeSession();
  const used = expect(assertUsable(session, schema)).rejects.toThrow(
    `${what} has not ended after 20 s.`,
  );
  await vi.advanceTimersByTimeAsync(20_000);
  await used;
  expect(session.close).toHaveBeenCalledWith(0);
});
