import { spawn } from 'node:child_process';
import { buildProgram, programOf } from '../src/platform/process/build.ts';
import { Child } from '../src/platform/process/child.ts';
import { environmentOf } from '../src/service/config/config.ts';

/** The maximum time until a program listens. */
const START_PATIENCE_MS = 90_000;

/**
 * Starts a program of the service in a separate process. The program ends when our process ends.
 */
export const startServiceProgram = async (entry: string, settings: Record<string, string>) =>
  new Child(
    spawn(process.execPath, programOf(await buildProgram(entry)), {
      env: environmentOf({ HOST: '127.0.0.1', ...settings }),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );

/**
 * Waits until the program prints its address, and returns the address. Returns undefined if the
 * program ends before that or takes too long. A program that takes too long is killed.
 */
export async function addressOf(program: Child, address: RegExp): Promise<string | undefined> {
  const [, url] = (await program.says(address, START_PATIENCE_MS)) ?? [];
  if (url === undefined) await program.kill();
  return url;
}
