/** The longest first line that is kept, in characters. */
const LONGEST_LINE = 200;

/** The longest pause. A longer Retry-After counts as a day. */
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

/** Control characters, invisible characters, unassigned characters, and line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The beginning of the first line of an answer's body. The line has printable characters only. */
export function firstLineOf(body: Buffer): string {
  const [line = ''] = body.toString('utf8').split(/[\r\n]/, 1);
  return Array.from(line.replace(UNPRINTABLE, '').trim()).slice(0, LONGEST_LINE).join('');
}

/**
 * The pause that the header Retry-After asks for. Undefined if the header is missing or malformed.
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
