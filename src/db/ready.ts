import { whenLate } from '../waiting/deadline.ts';
import type { Session } from './session.ts';
import { isConnectionLost, nothingRan, readOnlyServer } from './sqlstate.ts';

/** Longer than the bounds for dialling and the handshake together. */
const READY_TIMEOUT_MS = 4_000;

/**
 * Makes a new session fit for claims: its server is the primary, and the settings apply.
 *
 * One statement per session makes the settings. Startup parameters would be free, but PgBouncer
 * refuses them, or silently drops them if it is told to ignore them.
 *
 * Throws with code 25006 on a standby, and with NOTHING_RAN if the connection is lost. Either error
 * closes the session.
 */
export async function makeReady(
  session: Session,
  parameters: Record<string, string | number>,
): Promise<Session> {
  try {
    const text = `select pg_is_in_recovery() as "isStandby", ${settingAll(parameters)}`;
    const answer = session.run({ text, params: [], asArrays: false });
    const [row] = await whenLate(answer, READY_TIMEOUT_MS, () => void session.close(0));
    if ((row as { isStandby: boolean }).isStandby) throw readOnlyServer();
    return session;
  } catch (error) {
    void session.close(0);
    throw isConnectionLost(error) ? nothingRan(error) : error;
  }
}

/**
 * The names and values are our own constants, so the text may contain them. This saves a round
 * trip.
 */
const settingAll = (parameters: Record<string, string | number>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ');
