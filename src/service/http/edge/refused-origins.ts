import { type Log, SELDOM_MS } from '../../../platform/process/log.ts';

/**
 * The maximum number of lines in the log for each minute. A hostile page can have any number of
 * origins.
 */
const MOST_LINES = 10;
/** The longest name of a host has 253 characters. */
const LONGEST_ORIGIN = 300;

/**
 * Logs the origins whose pages may not use the service, with the setting that would allow them.
 * Without this line, only the console of the browser would say why a page gets no answer. Each
 * origin has at most one line in a minute.
 */
export function tellRefusedOrigins(log: Log, allowed: readonly string[]) {
  const told = new Set<string>();
  let minuteEnds = 0;
  return (origin: string) => {
    const now = performance.now();
    if (now >= minuteEnds) {
      told.clear();
      minuteEnds = now + SELDOM_MS;
    }
    const name = nameOf(origin);
    if (told.has(name) || told.size >= MOST_LINES) return;
    told.add(name);
    log.info({ event: 'origin refused', origin: name, advice: adviceFor(name, allowed) });
  };
}

const NONE = 'null';
const INVALID = 'not a valid origin';

/**
 * Returns the origin as a browser writes it. Other programs can send any text, so other texts are
 * left out.
 */
function nameOf(origin: string): string {
  if (origin === NONE) return NONE;
  const isOrigin =
    origin.length <= LONGEST_ORIGIN &&
    URL.canParse(origin) &&
    /^https?:$/.test(new URL(origin).protocol) &&
    new URL(origin).origin === origin;
  return isOrigin ? origin : INVALID;
}

function adviceFor(name: string, allowed: readonly string[]): string {
  if (name === NONE)
    return 'A page from a file, or in a sandbox, has no origin. Serve the page from a web server.';
  if (name === INVALID) return 'No browser sends this. No setting lets this request in.';
  return `If you trust the pages of this origin, set CORS_ORIGINS=${[...allowed, name].join(',')}`;
}
