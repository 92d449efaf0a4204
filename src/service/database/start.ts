import { PlainError } from '../process/errors.ts';
import type { Pooler } from './client.ts';
import { type PrepareOptions, prepareDatabase } from './migrate.ts';
import { refuseSharedSessions, refuseStatementMode } from './pooler.ts';
import { makeReady } from './ready.ts';
import { retryAtStart } from './retry.ts';
import { openSession } from './session.ts';
import { mayPass } from './sqlstate.ts';
import { databaseName, unusable } from './unusable.ts';

/** A failover takes less time. After this time the process ends, and its supervisor starts another. */
const PATIENCE_MS = 60_000;
const ANSWER_MS = 3_000;

export interface StartPlace {
  databaseUrl: string;
  /** Leads past a pooler to the same database. */
  directUrl?: string | undefined;
  pooler?: Pooler;
}

export interface StartOptions extends Omit<PrepareOptions, 'patienceMs'> {
  stop: AbortSignal;
  say: (line: string) => void;
}

/**
 * Waits for a primary, checks the pooler, and applies missing migrations. Throws a `PlainError` with
 * the reason if the database cannot be used.
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
 * Resolves when there is a primary, or when an error comes that does not pass by itself. The next
 * user of the database reports such an error. Throws a `PlainError` if it takes too long.
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

/** Throws if the addresses lead to two databases. Nobody would notice later where the migrations went. */
async function refuseOtherDatabase(databaseUrl: string, directUrl: string) {
  const [one, other] = await Promise.all([identityOf(databaseUrl), identityOf(directUrl)]);
  if (one !== other)
    throw new PlainError('DATABASE_URL_DIRECT must lead to the same database as DATABASE_URL.');
}

/** The time of its start identifies the server. The oid identifies the database on this server. */
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
