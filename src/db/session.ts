import postgres from 'postgres';
import { inTime } from '../waiting/deadline.ts';
import { connectionLost, noAnswer, oneConnection } from './one-connection.ts';
import { SQLSTATE } from './sqlstate.ts';

export interface Statement {
  text: string;
  params: unknown[];
  /** Whether rows are arrays of values rather than objects. */
  asArrays: boolean;
}

export type Rows = unknown[] & { command: string };

/** One connection to the database. One query or transaction uses it at a time. */
export interface Session {
  /**
   * Throws the errors of postgres.js. The code is CONNECTION_CLOSED once the connection is lost or
   * the server panics, and NO_ANSWER if no answer came in time. NO_ANSWER counts as a lost
   * connection.
   */
  run(statement: Statement): Promise<Rows>;
  /** False once the connection is lost. A dead session never runs another statement. */
  isAlive(): boolean;
  close(patienceSeconds: number): Promise<void>;
}

export interface SessionSettings {
  url: string;
  /** Settings that are sent with the connection. A pooler may refuse or drop them. */
  parameters?: Record<string, string | number>;
  /** Whether to prepare statements. Each repeat of a statement then saves a round trip. */
  prepare?: boolean;
  /**
   * How long to wait for an answer before the connection counts as lost. By default, without end.
   */
  answerTimeoutMs?: number;
  /** Called with each notice of the server. */
  onNotice?: (notice: postgres.Notice) => void;
}

/** How values become text and back, by type. Drizzle takes over some of these conversions. */
export interface Codecs {
  parsers: Record<string, (value: never) => unknown>;
  serializers: Record<string, (value: never) => unknown>;
}

/**
 * A session that lives no longer than its connection.
 *
 * postgres.js reconnects by itself, and reconnecting is fatal to a transaction. In 3.4.9,
 * statements that followed a lost connection ran on the new connection: outside of the transaction,
 * or inside another one. The ROLLBACK crashed the process (TypeError on a null socket). Therefore
 * each session is a client with a single connection, and is given up at the first sign that the
 * connection is gone.
 */
export function openSession(settings: SessionSettings, codecs: Codecs): Session {
  const { prepare = false, answerTimeoutMs = Number.POSITIVE_INFINITY } = settings;
  let alive = true;
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
  const client = oneConnection(settings.url, {
    ...(settings.onNotice && { onnotice: settings.onNotice }),
    onclose: lose,
    connection: { application_name: 'rowlock', ...settings.parameters },
  });
  Object.assign(client.options.parsers, codecs.parsers);
  Object.assign(client.options.serializers, codecs.serializers);
  return {
    async run({ text, params, asArrays }) {
      if (!alive) throw connectionLost();
      try {
        const query = client.unsafe(text, params as never[], { prepare });
        const answer = asArrays ? query.values() : query;
        const known = unlessGivenUp(answer, unanswered);
        // A silent server may neither answer nor disconnect.
        const rows = await inTime(known, answerTimeoutMs, () => Promise.reject(noAnswer()));
        return rows as unknown as Rows;
      } catch (error) {
        if (!isOrdinary(error)) lose();
        throw isPanic(error) ? connectionLost(error) : error;
      }
    },
    isAlive: () => alive,
    close,
  };
}

/** The answer. Until it comes, `unanswered` holds a function that gives up the wait for the answer. */
function unlessGivenUp<T>(
  answer: PromiseLike<T>,
  unanswered: Set<(error: Error) => void>,
): Promise<T> {
  let giveUp: (error: Error) => void = () => undefined;
  const known = new Promise<T>((resolve, reject) => {
    giveUp = reject;
    answer.then(resolve, reject);
  });
  unanswered.add(giveUp);
  return known.finally(() => unanswered.delete(giveUp));
}

/**
 * Whether the server crashes while it works. At COMMIT, with no room for the WAL, the commit may
 * already be on the disk, so the error's code does not tell the outcome.
 */
const isPanic = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === 'PANIC';

/**
 * Whether the server reports the error and survives. After any other error we do not trust the
 * connection. A read-only server survives too, but after a switchover its session would be used
 * again and again, so we end it.
 */
const isOrdinary = (error: unknown): boolean =>
  error instanceof postgres.PostgresError &&
  error.severity === 'ERROR' &&
  error.code !== SQLSTATE.readOnlyTransaction;
