import { isUtf8 } from 'node:buffer';
import type { Context } from 'hono';
import type { Database, Transaction } from '../../platform/db/client.ts';
import { retryConflicts } from '../../platform/db/retry.ts';
import { databaseError, SQLSTATE } from '../../platform/db/sqlstate.ts';
import { nameOf } from '../http/auth/caller.ts';
import type { Question } from '../http/auth/http.ts';
import { type Env, type Guard, isWriting } from '../http/new-routes.ts';
import { type ProblemResponse, problem, RETRY_AFTER } from '../http/problem.ts';
import type { InTurn } from './in-turn.ts';
import { fingerprintOf, parseKey, type RequestKey, type StoredAnswer } from './keys.ts';
import { keyInUse, keyReused, malformedKey, notUtf8 } from './problems.ts';
import { findAnswers, type KnownAnswer, lockKey, nameOfKey, storeAnswers } from './queries.ts';

const NO_BODY = new Uint8Array();

/** Headers that are stored with an answer. Each repeat gets new values of all other headers. */
const STORED_HEADERS = ['Content-Type', 'Location'];

/**
 * Checks the idempotency key of a request that writes, before the route checks the request. Answers
 * a repeat with the stored answer. Refuses a key that was used for a different request. Answers are
 * kept for `hours`.
 */
export function judgeKey(
  db: Database,
  inTurn: InTurn,
  { hours, isOpen }: { hours: number; isOpen: Question },
): Guard {
  return async (c) => {
    const header = c.req.header('Idempotency-Key');
    // Open paths have no caller, so we could not distinguish the keys of different clients.
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
 * Changes the database, and makes the answer. If `db` is a transaction, all statements run inside
 * it. After a conflict between transactions, the database rolls everything back, and the work runs
 * again.
 */
type Work<R extends Response> = (db: Database | Transaction) => Promise<R>;
export type Around = <R extends Response>(
  run: () => Promise<R>,
) => Promise<R | ProblemResponse<503>>;

interface Ways<R extends Response> {
  /** A function that calls `run`. For example, the function waits before the call. */
  around?: Around;
  /**
   * Another way to do the work at most once for each key. `Write` tries this way first. If the
   * result is undefined, this way did nothing, and `Write` does the work.
   */
  first?: () => Promise<R | ProblemResponse<422> | undefined>;
}

/**
 * Runs the work of a request. If the request has an idempotency key, the work is done at most once.
 */
export type Write = <R extends Response>(
  c: Context<Env>,
  work: Work<R>,
  ways?: Ways<R>,
) => Promise<R | ProblemResponse<409 | 422 | 503>>;

const atOnce: Around = (run) => run();

/**
 * Makes the `Write` function. On one server, requests with the same key run one after the other.
 */
export function createWrite(db: Database, inTurn: InTurn): Write {
  return async <R extends Response>(
    c: Context<Env>,
    work: Work<R>,
    { around = atOnce, first }: Ways<R> = {},
  ) => {
    const key = c.get('key');
    if (!key) return around(() => retryConflicts(() => work(db)));
    // A repeat on the same server waits here, where it needs no database connection.
    return inTurn.run<R | ProblemResponse<409 | 422 | 503>>(
      nameOfKey(key),
      async () => (await first?.()) ?? around(() => retryConflicts(() => once(db, key, work))),
      stillRunning,
    );
  };
}

const stillRunning = () => problem(keyInUse, {}, RETRY_AFTER);

/** Thrown to roll a transaction back. Carries an answer that must not be stored. */
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

/**
 * Answers a request whose key has a stored answer. If the request is the same, returns the stored
 * answer. Otherwise returns a problem.
 */
export function again<R extends Response>(
  { fingerprint, status, headers, body }: KnownAnswer,
  request: RequestKey,
): R | ProblemResponse<422> {
  if (fingerprint !== request.fingerprint) return problem(keyReused);
  const replayed = { ...headers, 'Idempotent-Replayed': 'true' };
  // The same request was answered by the same route, so the answer has the type of that route.
  return new Response(body, { status, headers: replayed }) as R;
}

/**
 * Returns the part of an answer that is stored. The body is already in memory, so a transaction
 * does not wait for the body.
 */
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
