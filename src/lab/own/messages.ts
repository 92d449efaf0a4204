import { z } from 'zod';
import type { ToldChapter } from '../syllabus/http.ts';
import type { Own } from './own.ts';

/** The name under which the lab shows the student's strategy or program. */
export const YOURS = 'yours';

/** Code may block its process without using the processor. Then the process sends no beat. */
export const SILENCE_MS = 60_000;

/** A guarded process still gives the processor back. */
export const beat = z.object({ kind: z.literal('beat') });
export type Beat = z.infer<typeof beat>;

/** The file cannot be used, and the guarded process ends. */
export const failed = z.object({ kind: z.literal('failed'), line: z.string() });
export type Failed = z.infer<typeof failed>;

/** The strategy, its situations, and the words of its chapter. */
const told = z.object({
  chapter: z.custom<ToldChapter>(),
  idea: z.string(),
  promise: z.string(),
  situations: z.array(
    z.object({ name: z.string(), idea: z.string(), sessions: z.number().optional() }),
  ),
});
export type Told = z.infer<typeof told>;

/** The data of the events about the student's code, by their names. */
export interface OwnNews {
  /** The state of the code when the listener comes. */
  now: { missing: string | null };
  /** The code was saved, and was loaded or refused. */
  saved: { missing: string | null };
}

/** A request to the lab, as the guest answers it. */
export interface Asked {
  id: number;
  method: string;
  /** The path with its query. */
  path: string;
  headers: [string, string][];
  body: string | undefined;
}

export type ToGuest =
  | { kind: 'begin'; databaseUrl: string; own: Own }
  | { kind: 'request'; asked: Asked }
  /** Nobody waits for the answer any more. */
  | { kind: 'cancel'; id: number }
  /** The guest drops its databases, and ends. */
  | { kind: 'stop' };

const id = z.number();
export const fromGuest = z.discriminatedUnion('kind', [
  beat,
  failed,
  z.object({ kind: z.literal('ready'), told }),
  z.object({
    kind: z.literal('head'),
    id,
    status: z.number(),
    headers: z.array(z.tuple([z.string(), z.string()])),
  }),
  /** A part of a body, in base64. */
  z.object({ kind: z.literal('chunk'), id, chunk: z.string() }),
  z.object({ kind: z.literal('end'), id }),
]);
export type FromGuest = z.infer<typeof fromGuest>;
