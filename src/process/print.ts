/** The colours that `paint` and the log use. They change no text and hide none. */
const COLOUR = String.raw`\u001b\[(?:1|22|3[1-69]|90)m`;

/**
 * Characters that a terminal obeys, or does not show: controls (C0, DEL and C1), formatting such as
 * U+202E, which reverses the text after it, and the separators of lines and paragraphs. Zero-width
 * characters are among them: with one of them, two different names look the same. The price is an
 * emoji of several parts, which is shown as its parts.
 */
const UNSAFE = new RegExp(String.raw`(?!${COLOUR}|[\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`, 'gu');

/**
 * The text as it may go to a terminal. Unsafe characters are written as JSON writes them, so a line
 * of JSON still means the same.
 */
export const printable = (text: string): string => text.replace(UNSAFE, inJson);

const inJson = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** Writes text that may have come from anywhere: a database, another server, a student's code. */
export const print = (text: string, out: NodeJS.WritableStream = process.stdout): void =>
  void out.write(printable(text));
