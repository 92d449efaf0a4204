import { hc, type InferResponseType } from 'hono/client';
import type { PlayRoutes } from '../../lab/play/http.ts';
import type { SyllabusRoutes } from '../../lab/syllabus/http.ts';
import type { EntryWithSources } from '../../lab/syllabus/syllabus.ts';
import { asking, serviceUrl } from '../parts/api.ts';

export const labUrl = `${serviceUrl}lab`;

export const plays = hc<PlayRoutes>(labUrl, asking).plays;
export const syllabus = hc<SyllabusRoutes>(labUrl, asking).strategies;

/** The same answer; throws in words for a person where there is none. */
export const reached = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  answer.catch(() => {
    throw new Error('The server cannot be reached.');
  });

/** The strategies with what was proven of them, in the order of the syllabus. Throws in words. */
export const listStrategies = async () => {
  const answer = await reached(syllabus.$get());
  if (answer.ok) return answer.json();
  const { detail } = (await answer.json()) as unknown as { detail: string };
  throw new Error(detail);
};
export type Entry = Awaited<ReturnType<typeof listStrategies>>[number];

export type PlayState = InferResponseType<typeof plays.$post, 200>;
export type PlayedSession = PlayState['sessions'][number];
export type ToldSchedule = PlayState['told'];

/** One strategy with its source code. Throws in words, as where there is none of this name. */
export const readStrategy = async (name: string): Promise<EntryWithSources> => {
  const answer = await reached(syllabus[':name'].$get({ param: { name } }));
  if (answer.ok) return answer.json();
  const { detail } = (await answer.json()) as unknown as { detail: string };
  throw new Error(detail);
};
export type { EntryWithSources };
