import { INVISIBLE } from '../../service/http/schemas.ts';

/** The maximum number of characters. A longer name would not fit into the teacher's list. */
export const LONGEST_NAME = 24;

const PICTURE = String.raw`\p{Extended_Pictographic}`;
/**
 * Matches invisible characters. Two kinds of invisible characters join the parts of an emoji, so
 * these two do not match inside an emoji.
 */
const HIDDEN = new RegExp(
  String.raw`(?<!${PICTURE})\uFE0F|(?<!${PICTURE}\uFE0F?|\p{Emoji_Modifier})\u200D|\u200D(?!${PICTURE})|(?![\u200D\uFE0F])[${INVISIBLE}]`,
  'gu',
);

/**
 * Returns a typed name without characters that may deceive or disturb its readers: control
 * characters, invisible characters, characters that turn the direction of the text, and piles of
 * accents.
 */
export const cleanName = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replaceAll(/[\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(HIDDEN, '')
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')
    .trim();

/** Returns whether the name has a character that people can see, and is short enough. */
export const isName = (name: string): boolean =>
  /[\p{L}\p{N}\p{S}]/u.test(name) && [...name].length <= LONGEST_NAME;
