import { existsSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { type Command, isRunning, postmasterOf, run } from './command.ts';

/** An embedded PostgreSQL of another process. */
export interface Held {
  parent: Command;
  home: string;
  url: string;
}

export async function holdEmbedded(): Promise<Held> {
  const parent = run('test/support/hold-embedded.ts', []);
  const [, home = '', url = ''] = await parent.says(/home (.+)\nurl (.+)\n/);
  return { parent, home, url };
}

/** Asserts that an embedded PostgreSQL and its directory are gone after a signal to its parent. */
export async function expectNothingLeft({ parent, home }: Held, signal: NodeJS.Signals) {
  const pid = postmasterOf(home);
  expect(isRunning(pid)).toBe(true);
  parent.child.kill(signal);
  await parent.ended;
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  await vi.waitFor(() => expect(existsSync(home)).toBe(false), { timeout: 20_000 });
}
