import { whenLate } from '../waiting/deadline.ts';
import type { Parameters } from './parameters.ts';
import type { Session } from './session.ts';
import { isNothingDone, nothingRan, readOnlyServer } from './sqlstate.ts';

/**
 * The maximum time to make a session ready. This time is longer than the limits for connecting and
 * for the handshake together.
 */
const READY_TIMEOUT_MS = 4_000;

/**
 * Prepares a new session for transactions. Checks that the server is the primary, and applies the
 * settings, if there are any.
 *
 * One statement makes the check and the settings. We do not send the settings as startup
 * parameters, because PgBouncer refuses startup parameters, or drops them silently if its
 * configuration says so.
 *
 * On a standby, throws an error with the code 25006. Every other error says that nothing was done,
 * because the work of the session's user has not begun. Even the error of an expired certificate or
 * a new password says that nothing was done. Closes the session after any error.
 */
export async function makeReady(session: Session, parameters: Parameters): Promise<Session> {
  try {
    const text = ['select pg_is_in_recovery() as "isStandby"', ...settings(parameters)].join(', ');
    const answer = session.run({ text, params: [], asArrays: false });
    const [row] = await whenLate(answer, READY_TIMEOUT_MS, () => void session.close(0));
    if ((row as { isStandby: boolean }).isStandby) throw readOnlyServer();
    return session;
  } catch (error) {
    void session.close(0);
    throw isNothingDone(error) ? error : nothingRan(error);
  }
}

/**
 * Writes names and values into the SQL text, because they are our own constants. A statement with
 * parameters would take one more round trip.
 */
const settings = (parameters: Parameters): string[] =>
  Object.entries(parameters).map(([name, value]) => `set_config('${name}', '${value}', false)`);
