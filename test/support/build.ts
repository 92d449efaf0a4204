import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, inject } from 'vitest';
import { run } from './command.ts';

/** The compiled service of this test run, and its folder. */
export const program = inject('serverProgram');
export const dist = path.dirname(program);

/** Builds the service again, into the same folder. */
export async function build() {
  const { ended, stderr } = run('scripts/build.ts', []);
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
}

/** Returns the temporary files that a build has not renamed yet. */
export const drafts = () => readdirSync(dist).filter((name) => name.startsWith('.draft-'));
