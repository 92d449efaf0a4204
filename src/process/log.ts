import pino from 'pino';
import { prettyFactory } from 'pino-pretty';
import { printable } from './print.ts';

/** What happened, and facts about it: already without secrets, SQL and parameters. */
export interface LogEvent {
  event: string;
  [fact: string]: unknown;
}

/** Where the service says what it does. */
export interface Log {
  info(event: LogEvent): void;
  error(event: LogEvent): void;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const SELDOM_MS = 60_000;

/**
 * Logs an error at most once a minute for each event. A cause that fails every request would
 * otherwise write a line for each of them.
 */
export function seldom(log: Log): Log['error'] {
  const loggedAt = new Map<string, number>();
  return (event) => {
    const now = performance.now();
    if (now - (loggedAt.get(event.event) ?? Number.NEGATIVE_INFINITY) < SELDOM_MS) return;
    loggedAt.set(event.event, now);
    log.error(event);
  };
}

interface Out {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** One line of JSON an event on stderr; for a person at a terminal, a readable one. */
export function openLog(level: LogLevel, out: Out = process.stderr): Log {
  const settings: pino.LoggerOptions = {
    level,
    // Which host and process it was, the collector of the lines knows.
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name) => ({ level: name }) },
  };
  return pino(settings, out.isTTY ? readable(out) : gathered(out));
}

/** The lines of one turn of the event loop go out together: a write each was 14 % of a busy server. */
function gathered(out: Out): pino.DestinationStream {
  let lines = '';
  const flush = () => {
    if (lines !== '') out.write(printable(lines));
    lines = '';
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

function readable(out: Out): pino.DestinationStream {
  const prettify = prettyFactory({ colorize: true, messageKey: 'event' });
  return { write: (line) => void out.write(printable(prettify(line))) };
}
