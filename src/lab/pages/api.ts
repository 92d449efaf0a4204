import { hc, type InferResponseType } from 'hono/client';
import { api } from '../../pages/parts/api.ts';
import type { LessonRoutes, ToldLesson } from '../lessons/http.ts';
import type { PlayRoutes } from '../play/http.ts';
import type { SandboxRoutes } from '../sandbox/http.ts';
import type { ScriptRoutes } from '../sql/http.ts';
import type { SyllabusRoutes, ToldChapter } from '../syllabus/http.ts';
import type { EntryWithSources, SyllabusEntry } from '../syllabus/syllabus.ts';

export const labUrl = `${api.url}/lab`;
/** Hono's client requests whole addresses. Our client takes only paths, and adds the token. */
const asking = {
  fetch: (address: RequestInfo | URL, init?: RequestInit) =>
    api.fetch(String(address).slice(api.url.length), init),
};

const { sandbox } = hc<SandboxRoutes>(labUrl, asking);
export const plays = hc<PlayRoutes>(labUrl, asking).plays;
const lab = hc<SyllabusRoutes>(labUrl, asking);
const { lessons } = hc<LessonRoutes>(labUrl, asking);
const { scripts } = hc<ScriptRoutes>(labUrl, asking);

/** Returns the answer. If the server sends no answer, throws an error with words for a person. */
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

/** Reads the strategies with their proofs, in the order of the workshop. */
export const listStrategies = () => read<SyllabusEntry[]>(lab.strategies.$get());
/** Reads the classic experiments of the sandbox, and the limits of an experiment. */
export const readSandbox = () => read<Beginning>(sandbox.$get());
/** Reads the names and the commands that the scripts of each lesson may have. */
export const listScriptRules = () => read<ScriptRules[]>(scripts.$get());
export type ScriptRules = InferResponseType<typeof scripts.$get, 200>[number];
export const listLessons = () => read<ToldLesson[]>(lessons.$get());
export const listChapters = () => read<ToldChapter[]>(lab.chapters.$get());
export type { SyllabusEntry, ToldChapter, ToldLesson };
export type Beginning = InferResponseType<typeof sandbox.$get, 200>;

export type PlayState = InferResponseType<typeof plays.$post, 200>;
export type PlayedSession = PlayState['sessions'][number];
export type ToldSchedule = PlayState['told'];

/** Reads one strategy with its source code. */
export const readStrategy = ({ chapter, name }: SyllabusEntry) =>
  read<EntryWithSources>(lab.strategies[':chapter'][':name'].$get({ param: { chapter, name } }));
export type { EntryWithSources };
