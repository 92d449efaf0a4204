/** What a program has said, as a part of a line. Codes for a terminal are left out. */
export function oneLine(text: string, longest: number): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
