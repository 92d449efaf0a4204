import { connectionLost } from './failure.ts';
import { BEGIN } from './parameters.ts';
import type { Rows, Session } from './session.ts';
import { databaseError, isConnectionLost, NO_ANSWER, NOTHING_RAN, nothingRan } from './sqlstate.ts';

export interface TransactionClient {
  unsafe: ReturnType<typeof statementsOn>;
  /** Runs one statement of this transaction. */
  run: Runner;
  /** Sends COMMIT together with the last statements. See `commitWithNext` in client.ts. */
  commitWithNext(statements?: number): void;
  savepoint: Begin;
  /**
   * The same as `savepoint`. Drizzle's migrator begins a transaction of its own, also inside of a
   * transaction.
   */
  begin: Begin;
}

type Begin = <T>(work: (client: TransactionClient) => Promise<T>) => Promise<T>;

/**
 * The statement that ends a transaction. In PostgreSQL, `commit` and `end` mean the same. A
 * transaction of a single read ends with `end`. So observers of statements know that each `commit`
 * may have changed something.
 */
export type Ending = 'commit' | 'end';

/** Calls `run` with a session. `text` is the statement that `run` sends. */
export type Runner = (run: (session: Session) => Promise<Rows>, text: string) => Promise<Rows>;

/**
 * Sends BEGIN, does the work, and sends COMMIT. After an error, sends ROLLBACK, unless the
 * connection is lost. If the connection is lost before COMMIT was sent, the server undoes the
 * transaction, and the error has the code NOTHING_RAN.
 */
export async function inTransaction<T>(
  session: Session,
  work: (client: TransactionClient) => Promise<T>,
  beginning = BEGIN,
  ending: Ending = 'commit',
): Promise<T> {
  let isOpen = true;
  /** How many statements still come. Infinity if we do not know. COMMIT travels with the last one. */
  let left = Infinity;
  const sent: Promise<Rows>[] = [];
  /** The answer to a COMMIT that was sent together with the last statement. */
  let committed: Promise<string> | undefined;
  const begun = begin(session, beginning);
  // The code below awaits `begun` in every case. Until that moment the error of `begun` must not
  // count as unhandled.
  begun.catch(() => undefined);
  const runOne: Runner = async (run, text) => {
    if (!isOpen) throw new Error(LATE);
    // A read is harmless without BEGIN, so it does not wait for BEGIN's answer. This saves a round
    // trip.
    if (!isRead(text)) await begun;
    if (!isOpen) throw new Error(LATE);
    left--;
    if (left === 0) isOpen = false;
    const rows = run(session);
    sent.push(rows);
    if (left === Infinity || !session.isAlive()) return beforeCommit(rows);
    if (left > 0) return rows;
    // If the statement fails, the server answers COMMIT with ROLLBACK. If the connection is lost, we
    // do not know whether the server has read the COMMIT.
    committed = command(session, ending);
    committed.catch(() => undefined);
    return rows;
  };
  const commitWithNext = (statements = 1) => {
    // A pooler in transaction mode has a BEGIN of its own. There the driver asks for a description of
    // each statement with parameters first, so COMMIT would wait in the driver. The end of a lone
    // read may wait there, because it has nothing to commit.
    if (beginning === BEGIN || ending === 'end') left = statements;
  };
  try {
    const result = await work(transactionClient(session, { run: runOne, commitWithNext }, 1));
    isOpen = false;
    await begun;
    // The connection was lost during the work, so COMMIT is not sent. The server undoes the
    // transaction.
    if (!committed && !session.isAlive()) throw nothingRan(connectionLost());
    // If a statement has failed, the server answers COMMIT with ROLLBACK, without an error.
    if ((await (committed ?? command(session, ending))) !== 'COMMIT')
      throw new Error('the transaction was rolled back, since a statement in it had failed');
    return result;
  } catch (error) {
    isOpen = false;
    await begun;
    // postgres.js may send a failed statement again. The next user of the session must not meet it.
    await Promise.allSettled(sent);
    // An answered COMMIT has ended the transaction. After a refused COMMIT, we send ROLLBACK as usual.
    const isEnded = await committed?.then(
      () => true,
      () => false,
    );
    // ROLLBACK may be cancelled. Then we close the session, so that no other transaction uses it.
    if (!isEnded && session.isAlive())
      await command(session, 'rollback').catch(() => session.close(0));
    throw error;
  }
}

const LATE = 'a statement came after the end of its transaction';

/**
 * Runs work that comes before COMMIT. If the connection is lost, the error gets the code
 * NOTHING_RAN, because the server undoes a transaction without COMMIT.
 */
async function beforeCommit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isConnectionLost(error) ? nothingRan(error) : error;
  }
}

export const isRead = (text: string) => /^\s*select\b/i.test(text);

async function begin(session: Session, text: string) {
  try {
    await command(session, text);
  } catch (error) {
    // The transaction may be open if the server accepted BEGIN, but refused a setting after BEGIN.
    void session.close(0);
    // The server is silent, so we do not try another session. Another session would probably get no
    // answer either.
    if (databaseError(error)?.code === NO_ANSWER) throw nothingRan(error);
    throw isConnectionLost(error) ? new EndedBefore(error) : error;
  }
}

/**
 * The connection was lost before BEGIN was answered. No write was sent, so the work may run again.
 */
export class EndedBefore extends Error {
  readonly code = NOTHING_RAN;

  constructor(cause: unknown) {
    super('the connection was lost before BEGIN was answered', { cause });
  }
}

function transactionClient(
  session: Session,
  { run, commitWithNext }: Pick<TransactionClient, 'run' | 'commitWithNext'>,
  depth: number,
): TransactionClient {
  /** A savepoint has no COMMIT, so the call does nothing there. */
  const inner = { run, commitWithNext: () => undefined };
  const savepoint: Begin = async (work) => {
    const name = `s${depth}`;
    await beforeCommit(command(session, `savepoint ${name}`));
    try {
      return await work(transactionClient(session, inner, depth + 1));
    } catch (error) {
      // On a lost session the first error tells more than the error of the rollback.
      if (session.isAlive()) await beforeCommit(command(session, `rollback to savepoint ${name}`));
      throw error;
    }
  };
  return { unsafe: statementsOn(run), run, commitWithNext, savepoint, begin: savepoint };
}

const command = async (session: Session, text: string) =>
  (await session.run({ text, params: [], asArrays: false })).command;

/**
 * Imitates `unsafe` of postgres.js. The query is sent when the caller awaits the query or calls
 * `values`.
 */
export function statementsOn(on: Runner) {
  return (text: string, params: unknown[] = []) => {
    const send = async (asArrays: boolean) =>
      on((session) => session.run({ text, params, asArrays }), text);
    return {
      // biome-ignore lint/suspicious/noThenProperty: a lazy query is a thenable, as Drizzle expects.
      then: <A, B>(done?: (rows: Rows) => A, failed?: (error: unknown) => B) =>
        send(false).then(done, failed),
      values: () => send(true),
    };
  };
}
