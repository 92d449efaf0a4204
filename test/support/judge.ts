import path from 'node:path';
import { inject } from 'vitest';
import type { Judgement } from '../../src/lab/judge/judge.ts';
import { inProject } from '../../src/process/project.ts';
import { run } from './command.ts';

/** The strategies that the tests have judged. */
export const judgedFolder = inProject('test/lab/judge/judged');

export const judge = (...args: string[]) =>
  run('scripts/judge.ts', args, { DATABASE_URL: inject('scratchUrl') });

/** The judgement of a strategy in the folder above, and the exit code. */
export async function judgementOf(
  name: string,
  ...options: string[]
): Promise<Judgement & { code: number | null }> {
  const { ended, stdout } = judge(path.join(judgedFolder, name), '--json', ...options);
  const { code } = await ended;
  return { code, ...JSON.parse(stdout()) };
}
