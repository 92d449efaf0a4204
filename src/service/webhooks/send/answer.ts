/** The maximum number of characters of the first line that we keep. */
const LONGEST_LINE = 200;

/** The maximum pause. A longer Retry-After counts as a day. */
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

/** Control characters, invisible characters, unassigned characters, and line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns the beginning of the first line of an answer's body. Keeps only printable characters. */
export function firstLineOf(body: Buffer): string {
  const [line = ''] = body.toString('utf8').split(/[\r\n]/, 1);
  return Array.from(line.replace(UNPRINTABLE, '').trim()).slice(0, LONGEST_LINE).join('');
}

/**
 * Returns the pause that the header Retry-After asks for, or undefined if the header is missing or
 * malformed.
 */
export function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  const ms = millisecondsOf(header ?? '', now);
  return ms === undefined ? undefined : Math.min(LONGEST_PAUSE_MS, Math.max(0, ms));
}

function millisecondsOf(header: string, now: Date): number | undefined {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // `Date.parse` alone would also accept `5 apples`.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header))
    return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : at - now.getTime();
}
