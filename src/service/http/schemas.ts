import { z } from 'zod';
import { searchText } from './search.ts';

/** The largest id, which is the largest bigint of PostgreSQL. */
const LARGEST_ID = 2n ** 63n - 1n;
const LONGEST_ID = String(LARGEST_ID).length;

/**
 * An id as text, in a path or in a query string. The query string must give the id exactly once.
 */
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

/** The schema of the parameters of a path with one id. */
export const idPath = z.object({ id: idText });

/** An id in a JSON body: a number, or text if a number would not be exact. */
export const idValue = z
  .union([z.int().min(1).transform(String), z.string()], {
    error: ({ input }) => (input === undefined ? 'is missing' : 'must be a positive whole number'),
  })
  .pipe(idText)
  .meta({
    type: ['integer', 'string'],
    minimum: 1,
    pattern: '^[1-9][0-9]{0,18}$',
    description: 'A number, or text if a number would not be exact.',
    example: 1,
  });

/** Returns an id as JSON: a number if every client can represent it exactly, otherwise text. */
export const idBody = (id: bigint): number | string =>
  id <= Number.MAX_SAFE_INTEGER ? Number(id) : String(id);

/** The schema of an id in an answer. See `idBody`. */
export const idAnswer = z
  .union([z.int().min(1), z.string().regex(/^[1-9]\d{0,18}$/)])
  .meta({ id: 'Id', description: 'A number up to 2^53 - 1, otherwise text.', example: 1 });

/** Returns a time as JSON. */
export const instantBody = (at: Date | null): string | null => at?.toISOString() ?? null;

export const instantAnswer = z.iso.datetime().meta({ example: '2026-11-21T09:00:00.000Z' });

/**
 * Matches characters that reverse the direction of text. A name must not reorder the text after it.
 */
const BIDI_CONTROL = /[\u202A-\u202E\u2066-\u2069]/;
/**
 * Invisible characters, as part of a regular expression. The list names the braille pattern without
 * dots (U+2800), because Unicode calls this character a symbol.
 */
export const INVISIBLE: string = String.raw`\p{C}\p{Default_Ignorable_Code_Point}\u2800`;
const VISIBLE = new RegExp(String.raw`[^${INVISIBLE}\p{Z}]`, 'u');

/**
 * Returns whether the text has only printable characters. Some scripts and emoji need format
 * characters. So format characters are allowed unless they reverse the direction.
 */
const isPrintable = (text: string): boolean =>
  !/\p{C}/u.test(text.replaceAll(/\p{Cf}/gu, '')) && !BIDI_CONTROL.test(text);

/** The schema of text in a JSON body. */
export const bodyText = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be text'),
});

/**
 * Makes the schema of a line of visible text, such as a name. The line has no control characters
 * and no broken characters.
 */
export const line = (longest: number, example: string) =>
  bodyText
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

/** The query parameters that choose a page of a list. */
export const pageQuery = z.object({
  cursor: idText
    .optional()
    .meta({ description: '`nextCursor` of the previous page.', example: undefined }),
  limit: wholeText(1, LARGEST_PAGE)
    .default(DEFAULT_PAGE)
    .meta({ description: 'The largest number of entries.', default: DEFAULT_PAGE }),
});

/** The query parameters that choose a page of companies or recruiters. */
export const namedQuery = pageQuery.extend({
  q: searchText.meta({
    description:
      'Only names that match all given words. A given word matches if a word of the name begins ' +
      'with it.',
    example: 'har',
  }),
});

/**
 * Makes the schema of a query parameter with an id. The parameter may be repeated. Hono returns a
 * single id as text, and several ids as an array.
 */
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
  .meta({ description: 'The cursor for the next page. Null on the last page.', example: null });

/**
 * Makes a page of rows. The caller reads one row more than `limit`. If this row exists, another
 * page follows.
 */
export function paged<Row extends { id: bigint }>(rows: Row[], { limit }: Page) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last ? String(last.id) : null };
}

const LONGEST_NAME = 200;

/** Makes the schema of a request that creates a company or a recruiter, and of its answer. */
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

/**
 * Makes the schema of a JSON body. The schema refuses unknown fields, because a misspelt field must
 * not be ignored.
 */
export const fields = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has unknown fields: ${issue.keys.join(', ')}`
        : 'must be a JSON object',
  });

/**
 * Makes the schema of a query string. The schema refuses unknown parameters, because a request that
 * claims must not ignore a misspelt parameter.
 */
export const parameters = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has unknown parameters: ${issue.keys.join(', ')}`
        : undefined,
  });

/** Makes the documentation of a JSON answer, or of a required JSON body. */
export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
});
export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
});
