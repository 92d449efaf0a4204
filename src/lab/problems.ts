import { databaseError, isConnectionLost, isNothingDone } from '../db/sqlstate.ts';
import {
  type Problem,
  type ProblemCode,
  type ProblemResponse,
  problem,
  RETRY_AFTER,
} from '../http/problem.ts';
import { busy, invalidRequest } from '../http/problems.ts';
import { PlainError } from '../process/errors.ts';
import type { Stage } from './explore/stage.ts';
import type { Stages } from './stages/stages.ts';

export const labBusy = {
  ...busy,
  detail: 'The lab has as much to do as it takes at once: ask again.',
} as const satisfies Problem;

/** The database is away, full, or has too much to do. Only the log says which. */
const noDatabaseNow = {
  ...busy,
  detail: 'The lab cannot use its database at the moment: ask again.',
} as const satisfies Problem;

/** The codes that the lab has beside those of the API. */
export const labProblemCodes = ['lab-unavailable', 'strategy-not-found'] as const;
export type LabProblem<Status extends number = number> = Problem<
  Status,
  ProblemCode | (typeof labProblemCodes)[number]
>;

/** The account may not do everything that the lab needs of PostgreSQL. */
export const labUnavailable = {
  status: 503,
  code: 'lab-unavailable',
  title: 'No stage for the lab',
  detail: 'The lab cannot make a scratch database, or not set what it needs there.',
} as const satisfies LabProblem;

/** `detail` lists the strategies that there are. */
export const noSuchStrategy = (detail: string) =>
  ({ status: 404, code: 'strategy-not-found', title: 'No such strategy', detail }) as const;

/** `detail` lists the situations that there are. */
export const noSuchSituation = (detail: string) => ({ ...invalidRequest, detail }) as const;

/** Work of the lab ends with this problem. */
export class Refusal extends Error {
  readonly problem: LabProblem<503>;

  constructor(refused: LabProblem<503>) {
    super(refused.detail);
    this.problem = refused;
  }
}

/**
 * The problem that callers are told of. Undefined for an unexpected error. The message of a database
 * error holds addresses and names of files, so no caller ever sees the message.
 */
export function refusalOf(error: unknown): LabProblem<503> | undefined {
  if (error instanceof Refusal) return error.problem;
  if (isNothingDone(error) || isConnectionLost(error)) return noDatabaseNow;
  return error instanceof PlainError && databaseError(error) ? labUnavailable : undefined;
}

/** The result of work on a stage. If no stage was free, the answer that says so. */
export async function onStage<T>(
  stages: Stages,
  work: (stage: Stage) => Promise<T>,
): Promise<{ done: T } | ProblemResponse<503>> {
  try {
    const given = await stages.use(async (stage) => ({ done: await work(stage) }));
    return 'done' in given ? given : problem(labBusy, {}, RETRY_AFTER);
  } catch (error) {
    return refusalAnswer(error);
  }
}

/** The answer to an error of the lab. An unexpected one is thrown on. */
export function refusalAnswer(error: unknown): ProblemResponse<503> {
  const refused = refusalOf(error);
  if (!refused) throw error;
  // Asking again does not help an account that lacks a right.
  return problem(refused, {}, refused.code === 'busy' ? RETRY_AFTER : {});
}
