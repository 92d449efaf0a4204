import type { InferResponseType } from 'hono/client';
import { api } from '../parts/api.ts';

export type Recruiter = InferResponseType<typeof api.recruiters.$get, 200>['recruiters'][number];

const MOST_FOUND = 8;

/** The first recruiters whose names have these words; none where they may not be listed. */
export async function findRecruiters(q: string, signal: AbortSignal): Promise<Recruiter[]> {
  const query = { limit: String(MOST_FOUND), ...(q.trim() && { q }) };
  const answer = await api.recruiters.$get({ query }, { init: { signal } });
  return answer.ok ? (await answer.json()).recruiters : [];
}

/** Undefined where there is no such recruiter. */
export async function readRecruiter(
  id: string,
  signal: AbortSignal,
): Promise<Recruiter | undefined> {
  const answer = await api.recruiters[':id'].$get({ param: { id } }, { init: { signal } });
  return answer.ok ? await answer.json() : undefined;
}
