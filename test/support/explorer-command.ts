import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir, start } from './command.ts';

export const onServer = ['--database', inject('scratchUrl')];

/** Runs `rowlock-explorer` from its source. */
export async function explorer(args: string[], env: Record<string, string> = {}) {
  const main = 'src/explorer/command/main.ts';
  const command = start(process.execPath, ['--import', 'tsx', main, ...args], env);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/**
 * Copies the example with Drizzle into a folder of its own, so schedules are kept there. The folder
 * is inside of the project, where Node finds Drizzle.
 */
export function booking(): string {
  const file = path.join(makeTmpDir(inProject('dist')), 'booking.explore.mjs');
  copyFileSync(inProject('examples/explorer/booking.explore.mjs'), file);
  return file;
}
