import { PlainError } from '../process/errors.ts';
import { openSession, type Session } from './session.ts';

/** A pooler in session mode may have no second session for us. Then the check ends after this time. */
const PATIENCE_MS = 1_000;

/**
 * Throws a `PlainError` if `url` leads to a pooler that lends a session of the server for single
 * transactions.
 */
export async function refuseSharedSessions(
  url: string,
  advice = 'Set DATABASE_POOLER=transaction.',
) {
  if (await sharesSessions(url))
    throw new PlainError(`DATABASE_URL leads to a pooler in transaction mode. ${advice}`);
}

/**
 * Whether connections to `url` share the sessions of the server. A session never changes its
 * process, and two open sessions never have the same process. So true is certain. False proves
 * nothing, because other clients of a busy pooler may take the sessions between our statements. The
 * answer is also false if a connection gets no session in time.
 */
export async function sharesSessions(url: string): Promise<boolean> {
  const open = () =>
    openSession({ url, answerTimeoutMs: PATIENCE_MS }, { parsers: {}, serializers: {} });
  const sessions = [open(), open()] as const;
  const [one, other] = sessions;
  try {
    const first = await processOf(one);
    // A pooler that lends its sessions in turn gives another process here.
    if ((await processOf(one)) !== first) return true;
    return (await processOf(other)) === first;
  } catch {
    return false;
  } finally {
    await Promise.all(sessions.map((session) => session.close(0)));
  }
}

async function processOf(session: Session): Promise<unknown> {
  const text = 'select pg_backend_pid()';
  const [row] = await session.run({ text, params: [], asArrays: true });
  return (row as unknown[])[0];
}
