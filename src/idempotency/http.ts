import type { Context, MiddlewareHandler } from 'hono';
import { nameOf } from '../auth/caller.ts';
import type { Database, Transaction } from '../db/client.ts';
import { databaseError, SQLSTATE } from '../db/sqlstate.ts';
import type { Env } from '../http.ts';
import { type ProblemResponse, problem, RETRY_AFTER } from '../problem.ts';
import { InTurn } from './in-turn.ts';
import { fingerprintOf, parseKey, type RequestKey, type StoredAnswer } from './keys.ts';
import { keyInUse, keyReused, malformedKey } from './problems.ts';
import { findAnswer, storeAnswer, takeKey } from './queries.ts';

/** Headers that are part of an answer, rather than of one sending of it. */
const STORED_HEADERS = ['Content-Type', 'Location'];

/**
 * Judges the key of a request that writes before anything else is judged: a repeat is answered
 * here, and so is a key that came with another request.
 */
export const judgeKey = (
  db: Database,
  isWriting: (c: Context<Env>) => boolean,
): MiddlewareHandler<Env> => {
  return async (c, next) => {
    const header = c.req.header('Idempotency-Key');
    if (header === undefined || !isWriting(c)) return next();
    const key = parseKey(header);
    if (key === undefined) return problem(malformedKey);
    const { pathname, search } = new URL(c.req.url);
    const body = await c.req.text();
    const fingerprint = fingerprintOf(c.req.method, pathname + search, body);
    const request = { caller: nameOf(c.get('caller')), key, fingerprint };
    const repeated = await repeat(db, request);
    if (repeated) return repeated;
    c.set('key', request);
    return next();
  };
};

/** What changes the database, and its answer. Given a transaction, it does so within that. */
type Work<R extends Response> = (db: Database | Transaction) => Promise<R>;
type Around = <R extends Response>(run: () => Promise<R>) => Promise<R | ProblemResponse<503>>;

/**
 * Runs work for a request: at most once, where that came with an idempotency key. `around` stands
 * around the run, such as a queue for it.
 */
export type Write = <R extends Response>(
  c: Context<Env>,
  work: Work<R>,
  around?: Around,
) => Promise<R | ProblemResponse<409 | 422 | 503>>;

export interface KeySettings {
  /** How long a key is remembered. */
  hours: number;
  /** How long a repeat waits for the first request to end. */
  waitMs: number;
}

export function createWrite(db: Database, { hours, waitMs }: KeySettings): Write {
  const inTurn = new InTurn(waitMs);
  return async (c, work, around = (run) => run()) => {
    const request = c.get('key');
    if (!request) return around(() => work(db));
    // A repeat to the same instance waits here, where it costs no connection.
    return inTurn.run(
      JSON.stringify([request.caller, request.key]),
      () => around(() => once(db, request, hours, work)),
      stillRunning,
    );
  };
}

const stillRunning = () => problem(keyInUse, {}, RETRY_AFTER);

/** An answer that is not kept, so that its transaction is not either. */
class NotKept<R extends Response> extends Error {
  readonly response: R;

  constructor(response: R) {
    super('an answer that is not kept');
    this.response = response;
  }
}

/** The key, the work and the answer, in one transaction. */
async function once<R extends Response>(
  db: Database,
  request: RequestKey,
  hours: number,
  work: Work<R>,
): Promise<R | ProblemResponse<409 | 422>> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await takeInTime(tx, request, hours)))
        return ((await repeat(tx, request)) ?? stillRunning()) as R;
      const response = await work(tx);
      if (response.status >= 500) throw new NotKept(response);
      await storeAnswer(tx, request, await answerIn(response.clone()));
      return response;
    });
  } catch (error) {
    if (error instanceof NotKept) return error.response;
    throw error;
  }
}

async function takeInTime(tx: Transaction, request: RequestKey, hours: number): Promise<boolean> {
  try {
    return await takeKey(tx, request, hours);
  } catch (error) {
    if (databaseError(error)?.code !== SQLSTATE.lockNotAvailable) throw error;
    throw new NotKept(stillRunning());
  }
}

/** The answer to a key that is known: the stored one, if it is the same request. */
async function repeat(db: Database | Transaction, request: RequestKey) {
  const stored = await findAnswer(db, request);
  if (!stored) return undefined;
  if (stored.fingerprint !== request.fingerprint) return problem(keyReused);
  const { status, headers, body } = stored;
  return new Response(body, { status, headers: { ...headers, 'Idempotent-Replayed': 'true' } });
}

async function answerIn(response: Response): Promise<StoredAnswer> {
  const headers = STORED_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: await response.text(),
  };
}
