import { z } from 'zod';
import type { ToldChapter } from '../syllabus/http.ts';
import type { Own } from './own.ts';

/** The name under which the lab shows the student's strategy or program. */
export const YOURS = 'yours';

/**
 * The longest time without a message. Code may block its process without using the processor, and
 * then the process sends no beat.
 */
export const SILENCE_MS = 60_000;

/** A message without content. It shows that the guarded process is not blocked. */
export const beat = z.object({ kind: z.literal('beat') });
export type Beat = z.infer<typeof beat>;

/** The message that the file cannot be used, and that the guarded process ends. */
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
export type ToldStrategy = z.infer<typeof told>;

/** The data of the events about the student's code, by their names. */
export interface OwnNews {
  /** The state of the code when the listener connects. */
  now: { missing: string | null };
  /** The code was saved, and was loaded or refused. */
  saved: { missing: string | null };
}

/** A request to the lab that the guest must answer. */
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
  /** The client does not wait for the answer any more. */
  | { kind: 'cancel'; id: number }
  /** The guest must drop its databases and end. */
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
