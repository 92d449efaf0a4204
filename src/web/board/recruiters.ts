import type { InferResponseType } from 'hono/client';
import { api } from '../parts/api.ts';
import { Refused } from '../parts/insist.ts';
import { searched } from '../parts/search.ts';

export type Recruiter = InferResponseType<typeof api.recruiters.$get, 200>['recruiters'][number];

const MOST_FOUND = 8;

/** The first recruiters whose names have these words. Throws a `Refused`, or what `fetch` throws. */
export async function findRecruiters(q: string, signal: AbortSignal): Promise<Recruiter[]> {
  const query = { limit: String(MOST_FOUND), ...searched(q) };
  const answer = await api.recruiters.$get({ query }, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return (await answer.json()).recruiters;
}

/** Throws a `Refused`, as where there is no such recruiter, or what `fetch` throws. */
export async function readRecruiter(id: string, signal: AbortSignal): Promise<Recruiter> {
  const answer = await api.recruiters[':id'].$get({ param: { id } }, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return answer.json();
}
