import { INVISIBLE } from '../../http/schemas.ts';

/** The most characters of a name. A longer name would not fit into the teacher's list. */
export const LONGEST_NAME = 24;

const PICTURE = String.raw`\p{Extended_Pictographic}`;
/** Two invisible characters join the parts of an emoji. Elsewhere they are removed too. */
const HIDDEN = new RegExp(
  String.raw`(?<!${PICTURE})\uFE0F|(?<!${PICTURE}\uFE0F?|\p{Emoji_Modifier})\u200D|\u200D(?!${PICTURE})|(?![\u200D\uFE0F])[${INVISIBLE}]`,
  'gu',
);

/**
 * A typed name without what may deceive or disturb its readers: control characters, invisible
 * characters, characters that turn the direction of the text, and towers of accents.
 */
export const cleanName = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replaceAll(/[\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(HIDDEN, '')
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')
    .trim();

/** Whether somebody can read the name. */
export const isName = (name: string): boolean =>
  /[\p{L}\p{N}\p{S}]/u.test(name) && [...name].length <= LONGEST_NAME;
