import { hc, type InferResponseType } from 'hono/client';
import type { PlayRoutes } from '../../lab/play/http.ts';
import type { SyllabusRoutes } from '../../lab/syllabus/http.ts';
import { serviceUrl } from '../parts/api.ts';

const labUrl = `${serviceUrl}lab`;

export const plays = hc<PlayRoutes>(labUrl).plays;
export const syllabus = hc<SyllabusRoutes>(labUrl).strategies;

/** The strategies with what was proven of them, in the order of the syllabus. */
export const listStrategies = async () => {
  const answer = await syllabus.$get();
  if (!answer.ok) throw new Error(`the strategies were not answered: ${answer.status}`);
  return answer.json();
};
export type Entry = Awaited<ReturnType<typeof listStrategies>>[number];

export type PlayState = InferResponseType<typeof plays.$post, 200>;
export type PlayedSession = PlayState['sessions'][number];
export type ToldSchedule = PlayState['told'];
