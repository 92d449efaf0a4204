import { hc, type InferResponseType } from 'hono/client';
import type { PlayRoutes } from '../../lab/play/http.ts';
import type { SyllabusRoutes } from '../../lab/syllabus/http.ts';
import type { EntryWithSources } from '../../lab/syllabus/syllabus.ts';
import { asking, serviceUrl } from '../parts/api.ts';

export const labUrl = `${serviceUrl}lab`;

export const plays = hc<PlayRoutes>(labUrl, asking).plays;
export const syllabus = hc<SyllabusRoutes>(labUrl, asking).strategies;

/** The strategies with what was proven of them, in the order of the syllabus. */
export const listStrategies = async () => {
  const answer = await syllabus.$get();
  if (answer.ok) return answer.json();
  const { detail } = (await answer.json()) as unknown as { detail: string };
  throw new Error(detail);
};
export type Entry = Awaited<ReturnType<typeof listStrategies>>[number];

export type PlayState = InferResponseType<typeof plays.$post, 200>;
export type PlayedSession = PlayState['sessions'][number];
export type ToldSchedule = PlayState['told'];

/** One strategy with its source code. Throws with the words of the answer when there is none. */
export const readStrategy = async (name: string): Promise<EntryWithSources> => {
  const answer = await syllabus[':name'].$get({ param: { name } });
  if (answer.ok) return answer.json();
  const { detail } = (await answer.json()) as unknown as { detail: string };
  throw new Error(detail);
};
export type { EntryWithSources };
