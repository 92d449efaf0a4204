/** The colour codes that `paint` and the log use. These codes neither change nor hide text. */
const COLOUR = String.raw`\u001b\[(?:1|22|3[1-69]|90)m`;

/**
 * Characters that a terminal obeys or does not show. They are control characters (C0, DEL and C1),
 * separators of lines and paragraphs, and format characters. One format character, U+202E, reverses
 * the text after it. Zero-width characters are among them, because they make two different names
 * look the same. The price: an emoji of several parts is shown as its parts.
 */
const UNSAFE = new RegExp(String.raw`(?!${COLOUR}|[\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`, 'gu');

/**
 * The text in a form that is safe for a terminal. Unsafe characters are written as JSON escapes, so
 * a line of JSON keeps its meaning.
 */
export const printable = (text: string): string => text.replace(UNSAFE, inJson);

const inJson = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** Writes text from any source, such as a database, another server or a student's code. */
export const print = (text: string, out: NodeJS.WritableStream = process.stdout): void =>
  void out.write(printable(text));
