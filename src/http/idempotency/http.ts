import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import type { Database, Transaction } from '../../db/client.ts';
import { retryConflicts } from '../../db/retry.ts';
import { databaseError, SQLSTATE } from '../../db/sqlstate.ts';
import { nameOf } from '../auth/caller.ts';
import type { Question } from '../auth/http.ts';
import { type Env, type Guard, isWriting } from '../new-routes.ts';
import { type ProblemResponse, problem, RETRY_AFTER } from '../problem.ts';
import type { InTurn } from './in-turn.ts';
import { fingerprintOf, parseKey, type RequestKey, type StoredAnswer } from './keys.ts';
import { keyInUse, keyReused, malformedKey, notUtf8 } from './problems.ts';
import { findAnswers, type KnownAnswer, lockKey, nameOfKey, storeAnswers } from './queries.ts';

const NO_BODY = new Uint8Array();

/** Headers that belong to the answer. All others are made anew for each repeat. */
const STORED_HEADERS = ['Content-Type', 'Location'];

/**
 * Judges the key of a request that writes, before anything else is judged. It answers a repeat, and
 * refuses a key that came with another request before. Answers are kept for so many hours.
 */
export function judgeKey(
  db: Database,
  inTurn: InTurn,
  { hours, isOpen }: { hours: number; isOpen: Question },
): Guard {
  return async (c) => {
    const header = c.req.header('Idempotency-Key');
    // Open paths have no caller, so their keys cannot be told apart.
    if (header === undefined || isOpen(c) || !isWriting(c)) return undefined;
    const key = parseKey(header);
    if (key === undefined) return problem(malformedKey);
    const { pathname, search } = new URL(c.req.url);
    const body = c.req.method === 'GET' ? NO_BODY : new Uint8Array(await c.req.arrayBuffer());
    if (!isUtf8(body)) return problem(notUtf8);
    const fingerprint = fingerprintOf(c.req.method, pathname + search, body);
    const request = { caller: nameOf(c.get('caller')), key, fingerprint, hours };
    // While the first request runs, there is no answer yet, and a repeat waits in `createWrite`.
    const name = nameOfKey(request);
    const known = inTurn.has(name) ? undefined : (await findAnswers(db, [request])).get(name);
    if (known) return again(known, request);
    c.set('key', request);
    return undefined;
  };
}

/**
 * Changes the database, and makes the answer. Given a transaction, the work stays within it. If the
 * database gives up the transaction for the sake of another, all is undone and the work runs anew.
 */
type Work<R extends Response> = (db: Database | Transaction) => Promise<R>;
export type Around = <R extends Response>(
  run: () => Promise<R>,
) => Promise<R | ProblemResponse<503>>;

interface Ways<R extends Response> {
  /** Stands around the run, such as a queue for it. */
  around?: Around;
  /**
   * Another way to do the work at most once for its key. It is tried first, and gives undefined if it
   * did nothing.
   */
  first?: () => Promise<R | ProblemResponse<422> | undefined>;
}

/** Runs work for a request: at most once, if the request has an idempotency key. */
export type Write = <R extends Response>(
  c: Context<Env>,
  work: Work<R>,
  ways?: Ways<R>,
) => Promise<R | ProblemResponse<409 | 422 | 503>>;

const atOnce: Around = (run) => run();

/** Makes `Write`. Repeats of a request wait in turn for the first request to end. */
export function createWrite(db: Database, inTurn: InTurn): Write {
  return async <R extends Response>(
    c: Context<Env>,
    work: Work<R>,
    { around = atOnce, first }: Ways<R> = {},
  ) => {
    const key = c.get('key');
    if (!key) return around(() => retryConflicts(() => work(db)));
    // A repeat to the same instance waits here, where it costs no connection.
    return inTurn.run<R | ProblemResponse<409 | 422 | 503>>(
      nameOfKey(key),
      async () => (await first?.()) ?? around(() => retryConflicts(() => once(db, key, work))),
      stillRunning,
    );
  };
}

const stillRunning = () => problem(keyInUse, {}, RETRY_AFTER);

/** Carries an answer that is not kept out of its transaction, and so rolls the transaction back. */
class NotKept<R extends Response> extends Error {
  readonly response: R;

  constructor(response: R) {
    super('an answer that is not kept');
    this.response = response;
  }
}

/** Locks the key, does the work and stores the answer, in one transaction. */
async function once<R extends Response>(
  db: Database,
  request: RequestKey,
  work: Work<R>,
): Promise<R | ProblemResponse<409 | 422>> {
  try {
    return await db.transaction(async (tx) => {
      await lockInTime(tx, request);
      const known = (await findAnswers(tx, [request])).get(nameOfKey(request));
      if (known) return again<R>(known, request);
      const response = await work(tx);
      if (response.status >= 500) throw new NotKept(response);
      await storeAnswers(tx, [{ ...request, ...(await contentOf(response)) }]);
      return response;
    });
  } catch (error) {
    if (error instanceof NotKept) return error.response;
    throw error;
  }
}

async function lockInTime(tx: Transaction, request: RequestKey) {
  try {
    await lockKey(tx, request);
  } catch (error) {
    if (databaseError(error)?.code !== SQLSTATE.lockNotAvailable) throw error;
    throw new NotKept(stillRunning());
  }
}

/** The answer to a key that is known: the stored answer, if the request is the same. */
export function again<R extends Response>(
  { fingerprint, status, headers, body }: KnownAnswer,
  request: RequestKey,
): R | ProblemResponse<422> {
  if (fingerprint !== request.fingerprint) return problem(keyReused);
  const replayed = { ...headers, 'Idempotent-Replayed': 'true' };
  // The same request was answered by the same route, so the answer has the type of that route.
  return new Response(body, { status, headers: replayed }) as R;
}

/** The part of an answer that is stored. Its body is in memory, so a transaction waits for nothing. */
export async function contentOf(response: Response): Promise<StoredAnswer> {
  const headers = STORED_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: await response.clone().text(),
  };
}
