import postgres from 'postgres';
import { connectionLost, noAnswer, oneConnection } from './one-connection.ts';
import { SQLSTATE } from './sqlstate.ts';

export interface Statement {
  text: string;
  params: unknown[];
  /** Rows as arrays of values rather than as objects. */
  asArrays: boolean;
}

export type Rows = unknown[] & { command: string };

/** One connection to the database, used by one query or transaction at a time. */
export interface Session {
  /**
   * Throws as postgres.js does; with the code CONNECTION_CLOSED once the connection is lost or the
   * server panics, and with NO_ANSWER when no answer came in time, so that it counts as lost.
   */
  run(statement: Statement): Promise<Rows>;
  /** False once the connection is lost: then it never runs another statement. */
  isAlive(): boolean;
  close(patienceSeconds: number): Promise<void>;
}

export interface SessionSettings {
  url: string;
  /** Settings that are sent along with the connection. A pooler may refuse or drop them. */
  parameters?: Record<string, string | number>;
  /** Prepare each statement once a session: one round trip less from its second time on. */
  prepare?: boolean;
  /** How long an answer is waited for; then the connection counts as lost. For ever by default. */
  answerTimeoutMs?: number;
  /** Takes what the server says beside its answers. */
  onNotice?: (notice: postgres.Notice) => void;
}

/** How values become text and back, by type: Drizzle wants to do some of that itself. */
export interface Codecs {
  parsers: Record<string, (value: never) => unknown>;
  serializers: Record<string, (value: never) => unknown>;
}

/**
 * A session that lives no longer than its connection.
 *
 * postgres.js reconnects by itself, and that is fatal to a transaction: in 3.4.9 what it says after
 * its connection was lost ran on the new one, outside of it or inside another transaction, and
 * its ROLLBACK crashed the process (TypeError on a null socket). So each session is a client of one
 * connection, which is given up at the first sign that this connection is gone.
 */
export function openSession(settings: SessionSettings, codecs: Codecs): Session {
  const { prepare = false, answerTimeoutMs } = settings;
  let alive = true;
  const unanswered = new Set<(error: Error) => void>();
  const close = async (patienceSeconds: number) => {
    alive = false;
    await client.end({ timeout: patienceSeconds });
    // Where nobody could be connected to, postgres.js forgets what it had not sent yet.
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
        return (await inTime(answer, answerTimeoutMs, unanswered)) as unknown as Rows;
      } catch (error) {
        if (!isOrdinary(error)) lose();
        throw isPanic(error) ? connectionLost(error) : error;
      }
    },
    isAlive: () => alive,
    close,
  };
}

/**
 * What comes, unless it comes late: a server that fell silent may never answer, nor be gone. While
 * it is waited for, who gives it up is found in `unanswered`.
 */
async function inTime<T>(
  answer: PromiseLike<T>,
  patienceMs: number | undefined,
  unanswered: Set<(error: Error) => void>,
): Promise<T> {
  let giveUp: (error: Error) => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  unanswered.add(giveUp);
  const timer =
    patienceMs === undefined ? undefined : setTimeout(() => giveUp(noAnswer()), patienceMs);
  try {
    return await Promise.race([answer, givenUp]);
  } finally {
    clearTimeout(timer);
    unanswered.delete(giveUp);
  }
}

/**
 * A server that panics crashes in the middle of its work. At COMMIT, with no room for the WAL, the
 * commit may be on the disk already, so the code of the error tells nothing of the outcome.
 */
const isPanic = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === 'PANIC';

/**
 * An error that the server reports and survives. After any other the connection is not trusted. A
 * server that only reads survives too, but its session is of no use: after a switchover it would be
 * asked again and again.
 */
const isOrdinary = (error: unknown): boolean =>
  error instanceof postgres.PostgresError &&
  error.severity === 'ERROR' &&
  error.code !== SQLSTATE.readOnlyTransaction;
