import type { Pooler } from '../../platform/db/client.ts';
import { refuseSharedSessions, refuseStatementMode } from '../../platform/db/pooler.ts';
import { makeReady } from '../../platform/db/ready.ts';
import { retryAtStart } from '../../platform/db/retry.ts';
import { openSession } from '../../platform/db/session.ts';
import { mayPass } from '../../platform/db/sqlstate.ts';
import { databaseName, unusable } from '../../platform/db/unusable.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { type PrepareOptions, prepareDatabase } from './migrate.ts';

/**
 * How long a start waits for a primary. A failover takes less time. After this time the process
 * ends, and its supervisor starts another process.
 */
const PATIENCE_MS = 60_000;
const ANSWER_MS = 3_000;

export interface StartPlace {
  databaseUrl: string;
  /** The address of the same database without the pooler. */
  directUrl?: string | undefined;
  pooler?: Pooler;
}

export interface StartOptions extends Omit<PrepareOptions, 'patienceMs'> {
  stop: AbortSignal;
  say: (line: string) => void;
}

/**
 * Waits for a primary, checks the pooler, and applies missing migrations. Throws a `PlainError`
 * with the reason if the database cannot be used.
 */
export async function startDatabase(place: StartPlace, { stop, say, ...options }: StartOptions) {
  const { databaseUrl, directUrl = databaseUrl } = place;
  for (const url of new Set([directUrl, databaseUrl])) await untilPrimary(url, { stop, say });
  await refuseStatementMode(databaseUrl);
  if (place.pooler === undefined) await refuseSharedSessions(databaseUrl);
  if (directUrl !== databaseUrl) {
    await refuseSharedSessions(
      directUrl,
      'It must lead to PostgreSQL itself.',
      'DATABASE_URL_DIRECT',
    );
    await refuseOtherDatabase(databaseUrl, directUrl);
  }
  stop.throwIfAborted();
  await prepareDatabase(directUrl, options);
}

/** How to wait for a primary. */
interface Waiting {
  stop: AbortSignal;
  say: (line: string) => void;
  patienceMs?: number;
}

/**
 * Waits for a primary. Also returns after a lasting error, because the next use of the database
 * reports this error. Throws a `PlainError` if the wait takes too long.
 */
export async function untilPrimary(
  url: string,
  { stop, say, patienceMs = PATIENCE_MS }: Waiting,
): Promise<void> {
  const inWords = (error: unknown) => unusable(databaseName(url), error);
  const onWait = (error: unknown) =>
    say(`Waiting up to ${patienceMs / 1000} s for a primary. ${inWords(error).message}`);
  try {
    const look = () => onSession(url, async () => undefined);
    await retryAtStart(look, { stop, patienceMs, mayRepeat: mayPass, onWait });
  } catch (error) {
    stop.throwIfAborted();
    if (mayPass(error)) throw inWords(error);
  }
}

/**
 * Throws if the addresses lead to two different databases. Otherwise nobody would notice that the
 * migrations went to the wrong database.
 */
async function refuseOtherDatabase(databaseUrl: string, directUrl: string) {
  const [one, other] = await Promise.all([identityOf(databaseUrl), identityOf(directUrl)]);
  if (one !== other)
    throw new PlainError('DATABASE_URL_DIRECT must lead to the same database as DATABASE_URL.');
}

/** The start time identifies the server, and the oid identifies the database on this server. */
const IDENTITY = `select pg_postmaster_start_time()::text || ' ' || oid as identity
  from pg_database where datname = current_database()`;

const identityOf = (url: string): Promise<string> =>
  onSession(url, async (session) => {
    const [row] = await session.run({ text: IDENTITY, params: [], asArrays: true });
    return String((row as unknown[])[0]);
  }).catch((error) => {
    throw unusable(databaseName(url), error);
  });

async function onSession<T>(
  url: string,
  work: (session: ReturnType<typeof openSession>) => Promise<T>,
): Promise<T> {
  const settings = { url, answerTimeoutMs: ANSWER_MS };
  const session = await makeReady(openSession(settings, { parsers: {}, serializers: {} }), {});
  try {
    return await work(session);
  } finally {
    await session.close(1);
  }
}
