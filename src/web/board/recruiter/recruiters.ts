import type { InferResponseType } from 'hono/client';
import { api } from '../../parts/api.ts';
import { Refused } from '../../parts/insist.ts';
import { searched } from '../../parts/search.ts';

export type Recruiter = InferResponseType<typeof api.recruiters.$get, 200>['recruiters'][number];

const MOST_FOUND = 8;

/**
 * The first recruiters whose names match these words. Throws a `Refused`, or the error of `fetch`.
 */
export async function findRecruiters(q: string, signal: AbortSignal): Promise<Recruiter[]> {
  const query = { limit: String(MOST_FOUND), ...searched(q) };
  const answer = await api.recruiters.$get({ query }, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return (await answer.json()).recruiters;
}

/**
 * Reads a recruiter. Throws a `Refused`, for example if there is no such recruiter, or the error of
 * `fetch`.
 */
export async function readRecruiter(id: string, signal: AbortSignal): Promise<Recruiter> {
  const answer = await api.recruiters[':id'].$get({ param: { id } }, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return answer.json();
}
