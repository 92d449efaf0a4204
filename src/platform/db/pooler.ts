import { PlainError } from '../process/errors.ts';
import { openSession, type Session } from './session.ts';
import { isConnectionLost } from './sqlstate.ts';

/**
 * The maximum time of each statement of the check. A pooler in session mode may have no second
 * session for us. Without a limit, the check would then wait too long.
 */
const PATIENCE_MS = 1_000;

/**
 * Throws a `PlainError` if `url` leads to a pooler in transaction mode. Such a pooler lends a
 * session of the server for a single transaction.
 */
export async function refuseSharedSessions(
  url: string,
  advice = 'Set DATABASE_POOLER=transaction.',
  setting = 'DATABASE_URL',
) {
  if (await sharesSessions(url))
    throw new PlainError(`${setting} leads to a pooler in transaction mode. ${advice}`);
}

/**
 * Throws a `PlainError` if `url` leads to a pooler in statement mode. Such a pooler lends a session
 * of the server for a single statement, and refuses all transactions. No request that needs a
 * transaction would ever succeed.
 */
export async function refuseStatementMode(url: string) {
  // One lost connection may be an accident, so we check twice.
  if ((await losesTransaction(url)) && (await losesTransaction(url)))
    throw new PlainError(
      'DATABASE_URL leads to a pooler in statement mode, which refuses transactions. Set its ' +
        'pool_mode to transaction, and DATABASE_POOLER=transaction.',
    );
}

/**
 * Returns whether a connection first answers, and is then lost at BEGIN. PgBouncer in statement
 * mode closes the connection at BEGIN, without a message. Returns false if nothing answers. The
 * next user of the database then reports the error.
 */
async function losesTransaction(url: string): Promise<boolean> {
  const session = openCheck(url);
  let answers = false;
  try {
    await send(session, 'select 1');
    answers = true;
    for (const text of ['begin', 'rollback']) await send(session, text);
    return false;
  } catch (error) {
    return answers && isConnectionLost(error);
  } finally {
    await session.close(0);
  }
}

/**
 * Returns whether connections to `url` share the sessions of the server. A session never changes
 * its process, and two open sessions never have the same process. So the result true is certain.
 * The result false proves nothing, because other clients of a busy pooler may take the sessions
 * between our statements. The result is also false if a connection gets no session in time.
 */
export async function sharesSessions(url: string): Promise<boolean> {
  const sessions = [openCheck(url), openCheck(url)] as const;
  const [one, other] = sessions;
  try {
    const first = await processOf(one);
    // A pooler that lends its sessions in turn gives a different server process here.
    if ((await processOf(one)) !== first) return true;
    return (await processOf(other)) === first;
  } catch {
    return false;
  } finally {
    await Promise.all(sessions.map((session) => session.close(0)));
  }
}

const openCheck = (url: string): Session =>
  openSession({ url, answerTimeoutMs: PATIENCE_MS }, { parsers: {}, serializers: {} });

const send = (session: Session, text: string) => session.run({ text, params: [], asArrays: true });

async function processOf(session: Session): Promise<unknown> {
  const [row] = await send(session, 'select pg_backend_pid()');
  return (row as unknown[])[0];
}
