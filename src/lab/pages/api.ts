import { hc, type InferResponseType } from 'hono/client';
import type { LessonRoutes, ToldLesson } from '../../lab/lessons/http.ts';
import type { PlayRoutes } from '../../lab/play/http.ts';
import type { SandboxRoutes } from '../../lab/sandbox/http.ts';
import type { SyllabusRoutes, ToldChapter } from '../../lab/syllabus/http.ts';
import type { EntryWithSources, SyllabusEntry } from '../../lab/syllabus/syllabus.ts';
import { api } from '../parts/api.ts';

export const labUrl = `${api.url}/lab`;
/** Hono's client knows whole addresses, and ours adds the token to paths. */
const asking = {
  fetch: (address: RequestInfo | URL, init?: RequestInit) =>
    api.fetch(String(address).slice(api.url.length), init),
};

const { sandbox } = hc<SandboxRoutes>(labUrl, asking);
export const plays = hc<PlayRoutes>(labUrl, asking).plays;
const lab = hc<SyllabusRoutes>(labUrl, asking);
const { lessons } = hc<LessonRoutes>(labUrl, asking);

/** Returns the answer. If the server sends none, throws an error with words for a person. */
export const reached = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  answer.catch(() => {
    throw new Error('The server cannot be reached.');
  });

/** Returns the JSON of an answer. If the answer is a problem, throws an error with its detail. */
async function read<T>(answer: Promise<{ ok: boolean; json(): Promise<unknown> }>): Promise<T> {
  const given = await reached(answer);
  const body = await given.json();
  if (given.ok) return body as T;
  throw new Error((body as { detail: string }).detail);
}

/** The strategies with their proofs, in the order of the syllabus. */
export const listStrategies = () => read<SyllabusEntry[]>(lab.strategies.$get());
/** The classics of the sandbox, and its bounds. */
export const readSandbox = () => read<Beginning>(sandbox.$get());
export const listLessons = () => read<ToldLesson[]>(lessons.$get());
export const listChapters = () => read<ToldChapter[]>(lab.chapters.$get());
export type { SyllabusEntry, ToldChapter, ToldLesson };
export type Beginning = InferResponseType<typeof sandbox.$get, 200>;

export type PlayState = InferResponseType<typeof plays.$post, 200>;
export type PlayedSession = PlayState['sessions'][number];
export type ToldSchedule = PlayState['told'];

/** One strategy with its source code. */
export const readStrategy = ({ chapter, name }: SyllabusEntry) =>
  read<EntryWithSources>(lab.strategies[':chapter'][':name'].$get({ param: { chapter, name } }));
export type { EntryWithSources };
