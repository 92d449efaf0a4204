import type { Socket } from 'node:net';
import postgres from 'postgres';
import { timerOf } from '../waiting/deadline.ts';
import { connectionLost, noAnswer } from './failure.ts';
import { oneConnection } from './one-connection.ts';
import { SQLSTATE } from './sqlstate.ts';

export interface Statement {
  text: string;
  params: unknown[];
  /** Whether rows are arrays of values rather than objects. */
  asArrays: boolean;
  /** Whether the statement is never prepared, for example because its types may be dropped. */
  isUnprepared?: true;
}

export type Rows = unknown[] & { command: string };

/** One connection to the database. Only one query or transaction uses the session at a time. */
export interface Session {
  /**
   * Throws the errors of postgres.js. The code is CONNECTION_CLOSED if the connection is lost or
   * the server crashes (PANIC). The code is NO_ANSWER if no answer came in time. The connection
   * then counts as lost.
   */
  run(statement: Statement): Promise<Rows>;
  /** False after the connection was lost or closed. A dead session never runs another statement. */
  isAlive(): boolean;
  close(patienceSeconds: number): Promise<void>;
}

export interface SessionSettings {
  url: string;
  /**
   * Settings that are sent when the connection begins. A pooler may refuse or drop these settings.
   */
  parameters?: Record<string, string | number>;
  /** Whether to prepare statements. Each repeat of a statement then saves a round trip. */
  prepare?: boolean;
  /**
   * The maximum wait for an answer. After this time the connection counts as lost. By default there
   * is no limit.
   */
  answerTimeoutMs?: number;
  /** Called with each notice of the server. */
  onNotice?: (notice: postgres.Notice) => void;
  /** Called with the socket of the connection. */
  onSocket?: (socket: Socket) => void;
  /** Whether PostgreSQL refuses a text with several statements. */
  oneStatement?: boolean;
}

/**
 * The conversions of values to text and back, by type. Drizzle replaces some of these conversions.
 */
export interface Codecs {
  parsers: Record<string, (value: never) => unknown>;
  serializers: Record<string, (value: never) => unknown>;
}

/**
 * Opens a session that ends together with its connection.
 *
 * postgres.js reconnects by itself, and a new connection breaks a transaction. In 3.4.9, the
 * statements after a lost connection ran on the new connection, either outside of any transaction
 * or inside another transaction. The ROLLBACK crashed the process (TypeError on a null socket).
 * Therefore each session has its own client with a single connection. The session ends at the first
 * sign that the connection is lost.
 */
export function openSession(settings: SessionSettings, codecs: Codecs): Session {
  const { prepare = false, answerTimeoutMs = Number.POSITIVE_INFINITY } = settings;
  let alive = true;
  /** The error that has ended the session. */
  let reason: unknown;
  const unanswered = new Set<(error: Error) => void>();
  const close = async (patienceSeconds: number) => {
    alive = false;
    await client.end({ timeout: patienceSeconds });
    // If no server could be reached, postgres.js never settles the queries that it had not sent.
    for (const giveUp of unanswered) giveUp(connectionLost());
  };
  const lose = () => {
    if (alive) void close(0);
  };
  const options = {
    ...(settings.onNotice && { onnotice: settings.onNotice }),
    onclose: lose,
    connection: { application_name: 'rowlock', ...settings.parameters },
  };
  const client = oneConnection(settings.url, options, settings.onSocket);
  // Without `simple: false`, postgres.js sends a text without parameters by the simple protocol. In
  // the simple protocol, a text may have several statements.
  const protocol = settings.oneStatement ? { prepare, simple: false } : { prepare };
  const unprepared = { ...protocol, prepare: false };
  Object.assign(client.options.parsers, codecs.parsers);
  Object.assign(client.options.serializers, codecs.serializers);
  return {
    async run({ text, params, asArrays, isUnprepared }) {
      if (!alive) throw connectionLost(reason);
      try {
        const query = client.unsafe(text, params as never[], isUnprepared ? unprepared : protocol);
        const rows = await answerTo(asArrays ? query.values() : query, answerTimeoutMs, unanswered);
        return rows as unknown as Rows;
      } catch (error) {
        if (!isOrdinary(error)) {
          reason ??= error;
          lose();
        }
        throw isPanic(error) ? connectionLost(error) : error;
      }
    },
    isAlive: () => alive,
    close,
  };
}

/**
 * Waits for the answer, but no longer than `ms`, because a silent server may neither answer nor
 * disconnect. During the wait, `unanswered` contains a function that ends the wait with an error.
 *
 * A claim sends five statements, so our part of each wait is one promise. With three promises, a lone
 * claim took 1.09 times as much processor time.
 */
function answerTo<T>(
  query: PromiseLike<T>,
  ms: number,
  unanswered: Set<(error: Error) => void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      unanswered.delete(giveUp);
    };
    const giveUp = (error: Error) => {
      end();
      reject(error);
    };
    const timer = timerOf(() => giveUp(noAnswer()), ms);
    unanswered.add(giveUp);
    query.then((rows) => {
      end();
      resolve(rows);
    }, giveUp);
  });
}

/**
 * Returns whether the server crashed during the statement. For example, the server crashes if a
 * COMMIT finds no room for the WAL. But this COMMIT may already be on the disk, so the error's code
 * does not tell the outcome.
 */
const isPanic = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === 'PANIC';

/**
 * Returns whether the session can be used after this error. The server must have reported the error
 * and survived. A read-only server survives too, but we close its session. Otherwise, after a
 * switchover, the session would be used again and fail again.
 */
const isOrdinary = (error: unknown): boolean =>
  error instanceof postgres.PostgresError &&
  error.severity === 'ERROR' &&
  error.code !== SQLSTATE.readOnlyTransaction;
