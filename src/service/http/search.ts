import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';

const LONGEST_SEARCH = 100;

/** Matches a word, roughly as the database splits text. All other characters separate words. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Removes repeated words, and each word that is the beginning of another word. Otherwise a search
 * for fifty times "e" would read the same half of the index fifty times.
 */
const withoutImplied = (words: readonly string[]) => {
  const folded = words.map((word) => word.toLowerCase());
  return words.filter((_, at) => {
    const word = folded[at] ?? '';
    return !folded.some(
      (other, n) => other.startsWith(word) && (other.length > word.length || n < at),
    );
  });
};

/** The search text of a query string, split into words. */
export const searchText = z
  .string({ error: 'is given more than once' })
  .max(LONGEST_SEARCH, `must have at most ${LONGEST_SEARCH} characters`)
  .transform((text) => withoutImplied(text.match(WORD) ?? []))
  .refine((words) => words.length > 0, 'has no letter and no digit')
  .optional()
  .meta({ type: 'string', maxLength: LONGEST_SEARCH });

/**
 * Makes the condition that each of these words is the beginning of a word in the column. The column
 * is a `tsvector`.
 */
export const matches = (column: SQL, words: readonly string[]): SQL =>
  sql`${column} @@ to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(' & ')})`;

/**
 * Makes the SQL for the words of a text, in the form that the indexes use. A migration defines the
 * function.
 */
export const wordsOf = (text: SQL): SQL => sql`words_of(${text})`;
