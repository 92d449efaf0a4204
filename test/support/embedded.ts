import { existsSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { isRunning, postmasterOf, run } from './command.ts';

/** Asserts that an embedded PostgreSQL and its directory are gone after a signal to its parent. */
export async function expectNothingLeft(signal: NodeJS.Signals) {
  const parent = run('test/support/hold-embedded.ts', []);
  const home = (await parent.says(/home (.+)\n/))[1] ?? '';
  const pid = postmasterOf(home);
  expect(isRunning(pid)).toBe(true);
  parent.child.kill(signal);
  await parent.ended;
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  await vi.waitFor(() => expect(existsSync(home)).toBe(false), { timeout: 20_000 });
}
