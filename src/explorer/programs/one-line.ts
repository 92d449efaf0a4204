/** Returns a text as one line without control characters, cut after `longest` characters. */
export function oneLine(text: string, longest: number): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
