import { databaseError, isConnectionLost, isNothingDone } from '../platform/db/sqlstate.ts';
import { PlainError } from '../platform/process/errors.ts';
import type { Unanswered } from '../platform/waiting/admission.ts';
import {
  type Problem,
  type ProblemResponse,
  problem,
  RETRY_AFTER,
} from '../service/http/problem.ts';
import type { Meaning, ProblemCode } from '../service/http/problem-list.ts';
import { busy, invalidRequest } from '../service/http/problems.ts';
import { StoreError, StoreMissing } from './stores/store.ts';

export const labBusy = {
  ...busy,
  detail: 'The lab is busy. Try again.',
} as const satisfies Problem;

/** The database is unreachable, full or overloaded. Only the log names the cause. */
const noDatabaseNow = {
  ...busy,
  detail: 'The lab cannot use its database at the moment. Try again.',
} as const satisfies Problem;

/** Redis or etcd has ended, or its address does not answer. Only the log names the cause. */
const noStoreNow = {
  ...busy,
  detail: 'The lab cannot use Redis or etcd at the moment. Try again.',
} as const satisfies Problem;

/** The problems of the lab that the API of the service does not have. */
export const labMeanings = {
  'strategy-not-found': {
    status: 404,
    when: 'under `/lab`: there is no such strategy',
    next: 'Choose a strategy from the list of the lab.',
  },
  'lab-unavailable': {
    status: 503,
    when: 'under `/lab`: the account in `DATABASE_URL` may not make scratch databases, or may not change the settings that the explorer needs',
    next: 'Use an account that may make databases, or unset `DATABASE_URL`. The log has the cause.',
  },
} as const satisfies Record<string, Meaning>;
export type LabProblem<Status extends number = number> = Problem<
  Status,
  ProblemCode | keyof typeof labMeanings
>;

/** The lab's account in PostgreSQL lacks a right that the lab needs. */
export const labUnavailable = {
  status: 503,
  code: 'lab-unavailable',
  title: 'No stage for the lab',
  detail: 'The lab cannot make a scratch database, or cannot change a setting that it needs there.',
} as const satisfies LabProblem;

/** The strategy needs a store that this machine does not have. */
const storeMissing = ({ message }: StoreMissing) =>
  ({ ...labUnavailable, title: 'No store for the strategy', detail: message }) as const;

/** `detail` says why no strategy was found, and lists the known names. */
export const noSuchStrategy = (detail: string) =>
  ({ status: 404, code: 'strategy-not-found', title: 'No such strategy', detail }) as const;

/** `detail` lists the known situations. */
export const noSuchSituation = (detail: string) => ({ ...invalidRequest, detail }) as const;

/** The lab's code throws this error to end its work with the problem. */
export class Refusal extends Error {
  readonly problem: LabProblem<503>;

  constructor(refused: LabProblem<503>) {
    super(refused.detail);
    this.problem = refused;
  }
}

/**
 * Returns the problem that callers receive. Returns undefined if the error is unexpected. The
 * message of a database error may contain addresses and file names, so callers never receive the
 * message.
 */
export function refusalOf(error: unknown): LabProblem<503> | undefined {
  if (error instanceof Refusal) return error.problem;
  if (error instanceof StoreMissing) return storeMissing(error);
  if (error instanceof StoreError) return noStoreNow;
  if (isNothingDone(error) || isConnectionLost(error)) return noDatabaseNow;
  return error instanceof PlainError && databaseError(error) ? labUnavailable : undefined;
}

/**
 * Runs work that needs a stage, and returns its result as `done`. If the lab could not do the work,
 * returns the answer 503.
 */
export async function onStage<T>(
  work: () => Promise<{ done: T } | Unanswered>,
): Promise<{ done: T } | ProblemResponse<503>> {
  try {
    const given = await work();
    return 'done' in given ? given : problem(labBusy, {}, RETRY_AFTER);
  } catch (error) {
    return refusalAnswer(error);
  }
}

/** Returns the answer to an expected error of the lab. Throws an unexpected error again. */
export function refusalAnswer(error: unknown): ProblemResponse<503> {
  const refused = refusalOf(error);
  if (!refused) throw error;
  // If the account lacks a right, another attempt does not help. So this answer has no Retry-After.
  return problem(refused, {}, refused.code === 'busy' ? RETRY_AFTER : {});
}
