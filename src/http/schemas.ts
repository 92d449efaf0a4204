import { z } from 'zod';
import { searchText } from './search.ts';

/** The largest id: PostgreSQL's bigint. */
const LARGEST_ID = 2n ** 63n - 1n;
const LONGEST_ID = String(LARGEST_ID).length;

/** An id as text, in a path or given exactly once in the query string. */
export const idText = z
  .string({
    error: ({ input }) => (input === undefined ? 'is missing' : 'is given more than once'),
  })
  .refine((text) => text !== '', { error: 'is empty', abort: true })
  .refine((text) => /^[1-9]\d*$/.test(text), {
    error: 'must be a positive whole number',
    abort: true,
  })
  .refine((text) => text.length <= LONGEST_ID && BigInt(text) <= LARGEST_ID, {
    error: `must be at most ${LARGEST_ID}`,
    abort: true,
  })
  .transform(BigInt)
  .meta({ type: 'string', pattern: '^[1-9][0-9]{0,18}$', example: '1' });

/** An id in a JSON body: a number, or text where a number would not be exact. */
export const idValue = z
  .union([z.int().min(1).transform(String), z.string()], {
    error: ({ input }) => (input === undefined ? 'is missing' : 'must be a positive whole number'),
  })
  .pipe(idText)
  .meta({
    type: ['integer', 'string'],
    minimum: 1,
    pattern: '^[1-9][0-9]{0,18}$',
    description: 'A number, or text where a number would not be exact.',
    example: 1,
  });

/** An id as JSON: a number while every client can hold it exactly, text beyond that. */
export const idBody = (id: bigint): number | string =>
  id <= Number.MAX_SAFE_INTEGER ? Number(id) : String(id);

/** What `idBody` makes. */
export const idAnswer = z
  .union([z.int().min(1), z.string().regex(/^[1-9]\d{0,18}$/)])
  .meta({ id: 'Id', description: 'A number up to 2^53 - 1, text beyond.', example: 1 });

export const instantAnswer = z.iso.datetime().meta({ example: '2026-11-21T09:00:00.000Z' });

/** What turns the text around it: a name may not reorder what is shown after it. */
const BIDI_CONTROL = /[\u202A-\u202E\u2066-\u2069]/;
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Format characters are part of some scripts and emoji, except those that turn text around. */
const isPrintable = (text: string): boolean =>
  !/\p{C}/u.test(text.replaceAll(/\p{Cf}/gu, '')) && !BIDI_CONTROL.test(text);

/** A line of text, such as a name: no control characters, no half of a character, not invisible. */
export const line = (longest: number, example: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
    .refine(isPrintable, { error: 'must be one line of printable text', abort: true })
    .trim()
    .min(1, { error: 'is empty', abort: true })
    .refine((text) => VISIBLE.test(text), { error: 'shows nothing', abort: true })
    .max(longest, `must have at most ${longest} characters`)
    .meta({ example });

export const LARGEST_PAGE = 100;
const DEFAULT_PAGE = 50;

const wholeText = (smallest: number, largest: number) =>
  z
    .string({ error: 'is given more than once' })
    .regex(/^\d{1,9}$/, `must be a whole number from ${smallest} to ${largest}`)
    .transform(Number)
    .refine((value) => value >= smallest && value <= largest, {
      error: `must be a whole number from ${smallest} to ${largest}`,
    })
    .meta({ type: 'integer', minimum: smallest, maximum: largest });

/** Which part of a list is asked for. */
export const pageQuery = z.object({
  cursor: idText
    .optional()
    .meta({ description: '`nextCursor` of the page before.', example: undefined }),
  limit: wholeText(1, LARGEST_PAGE)
    .default(DEFAULT_PAGE)
    .meta({ description: 'The most that the page may hold.', default: DEFAULT_PAGE }),
});

/** Which companies or recruiters are asked for. */
export const namedQuery = pageQuery.extend({
  q: searchText.meta({ description: 'Only names with words that begin so.', example: 'har' }),
});

/** Ids by a parameter that may be repeated: Hono gives text when it is there once. */
export const idsText = (most: number, description: string) =>
  z
    .union([z.string().transform((id) => [id]), z.array(z.string())])
    .pipe(z.array(idText).max(most, `may be given at most ${most} times`))
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
      maxItems: most,
      description,
    });

export interface Page {
  cursor?: bigint | undefined;
  limit: number;
}

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Where the next page begins; null after the last.', example: null });

/** Of one row more than the page holds: the page, and where the next one begins. */
export function paged<Row extends { id: bigint }>(rows: Row[], { limit }: Page) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last ? String(last.id) : null };
}

const LONGEST_NAME = 200;

/** What makes a company or a recruiter, and how they are answered. */
export const newNamed = (example: string) => fields({ name: line(LONGEST_NAME, example) });
export const namedAnswer = (id: string, example: string) =>
  z
    .object({ id: idAnswer, name: z.string().meta({ example }), createdAt: instantAnswer })
    .meta({ id });

export const slotsAnswer = {
  capacity: z.int().min(1).meta({ example: 4 }),
  claimed: z.int().min(0).meta({ example: 1 }),
  remaining: z.int().min(0).meta({ description: 'Never below 0.', example: 3 }),
};

/** An object in a body: nothing but these fields, so that a misspelt one is not passed over. */
export const fields = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has unknown fields: ${issue.keys.join(', ')}`
        : 'must be a JSON object',
  });

/** A query string with nothing but these: what claims passes over no misspelt parameter. */
export const parameters = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has unknown parameters: ${issue.keys.join(', ')}`
        : undefined,
  });

/** An answer in JSON, and a body that is required to be, as a route documents them. */
export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
});
export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
});
