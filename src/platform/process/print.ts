/**
 * The stdout of this process. A process that runs a student's file hides its stdout from the file.
 * In such a process, `process.stdout` is stderr.
 */
export const { stdout } = process;

/** The colour codes that `paint` and the log use. These codes neither change nor hide text. */
const COLOUR = String.raw`\u001b\[(?:1|22|3[1-69]|90)m`;

/**
 * Characters that control a terminal or are invisible. They are control characters (C0, DEL and
 * C1), separators of lines and paragraphs, and format characters. One format character, U+202E,
 * reverses the text after it. Zero-width characters are also format characters. They make two
 * different names look the same. A disadvantage is that an emoji of several parts is no longer
 * shown as one emoji.
 */
const UNSAFE = new RegExp(String.raw`(?!${COLOUR}|[\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`, 'gu');

/**
 * Matches a text without unsafe characters. Nearly every line of the log matches, and this test is
 * fast.
 */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/**
 * Makes a text safe for a terminal. Writes unsafe characters as JSON escapes, so a line of JSON
 * keeps its meaning.
 */
export const printable = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(UNSAFE, inJson);

const inJson = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/**
 * Writes a text and escapes its unsafe characters. The text may come from any source, such as a
 * database, another server or a student's code.
 */
export const print = (text: string, out: NodeJS.WritableStream = stdout): void =>
  void out.write(printable(text));
