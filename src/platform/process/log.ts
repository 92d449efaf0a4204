import pino from 'pino';
import { prettyFactory } from 'pino-pretty';
import { printable } from './print.ts';
import { version } from './project.ts';

/** An event and facts about it. Callers must leave out secrets, SQL and parameters. */
export interface LogEvent {
  event: string;
  [fact: string]: unknown;
}

/** Receives the events of the service. */
export interface Log {
  /** Logs details for a person who searches for the cause of a problem. */
  debug(event: LogEvent): void;
  info(event: LogEvent): void;
  error(event: LogEvent): void;
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The minimum time between two log lines about the same event. */
export const SELDOM_MS = 60_000;

/**
 * Logs each kind of error at most once a minute. Otherwise an error in every request would write a
 * log line for each request.
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

/**
 * Returns the first event of a process. The version in the event tells which release wrote the
 * lines that follow.
 */
export const startLine = (program: 'server' | 'worker'): LogEvent => ({
  ...{ event: 'start', program, version, node: process.version, pid: process.pid },
});

/** Starts a stopwatch. The returned function gives the whole milliseconds since this call. */
export function stopwatch(): () => number {
  const began = performance.now();
  return () => Math.round(performance.now() - began);
}

interface Out {
  isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Writes each event to stderr as one line of JSON. On a terminal, writes a text that is easier to
 * read.
 */
export function openLog(level: LogLevel, out: Out = process.stderr): Log {
  const settings: pino.LoggerOptions = {
    level,
    // The log lines do not name the host and the process. The program that collects the lines knows
    // the host and the process.
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name) => ({ level: name }) },
  };
  return pino(settings, out.isTTY ? readable(out) : gathered(out));
}

/** The delay of a log line. A reader of the log does not notice this delay. */
const GATHER_MS = 20;

/**
 * Collects lines for `GATHER_MS`, and writes them together. On a busy server, a separate write for
 * each line took 14 % of the time. One write for all lines of a turn of the event loop took 4 %. A
 * process that is killed, or that runs out of memory, loses the lines of its last 20 ms.
 */
function gathered(out: Out): pino.DestinationStream {
  let lines = '';
  const flush = () => {
    if (lines !== '') out.write(printable(lines));
    lines = '';
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (lines === '') setTimeout(flush, GATHER_MS);
      lines += line;
    },
  };
}

function readable(out: Out): pino.DestinationStream {
  const prettify = prettyFactory({ colorize: true, messageKey: 'event' });
  return { write: (line) => void out.write(printable(prettify(line))) };
}
