import { PlainError } from '../errors.ts';
import { type Problem, type ProblemResponse, problem, RETRY_AFTER } from '../problem.ts';
import { busy } from '../problems.ts';
import type { Stage } from './explore/stage.ts';
import type { Stages } from './stages.ts';

export const labBusy = {
  ...busy,
  detail: 'The lab has as much to do as it takes at once: ask again.',
} as const satisfies Problem;

/** What the lab needs of PostgreSQL beyond what the service needs, it may not have. */
export const labUnavailable = {
  status: 503,
  code: 'lab-unavailable',
  title: 'No stage for the lab',
  detail: 'The lab cannot make a scratch database, or not set what it needs there.',
} as const satisfies Problem;

/** What work on a stage gives; or, where there was none to be had, the answer that says so. */
export async function onStage<T>(
  stages: Stages,
  work: (stage: Stage) => Promise<T>,
): Promise<{ done: T } | ProblemResponse<503>> {
  try {
    const given = await stages.use(async (stage) => ({ done: await work(stage) }));
    return 'done' in given ? given : problem(labBusy, {}, RETRY_AFTER);
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    return problem({ ...labUnavailable, detail: error.message });
  }
}
