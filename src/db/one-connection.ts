import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import postgres from 'postgres';
import { NO_ANSWER } from './sqlstate.ts';

/**
 * Reaching a server takes one round trip. Without a bound, dialling a dead machine takes two
 * minutes.
 */
const DIAL_TIMEOUT_MS = 1_000;
/**
 * The handshake takes some five round trips, one password hash, and the start of a server process.
 */
const HANDSHAKE_TIMEOUT_S = 2;

/**
 * A postgres.js client with a single connection that is never replaced.
 *
 * postgres.js reconnects by itself. While a server accepts connections and then closes them,
 * postgres.js reconnects without end. It also reconnects in the middle of a transaction, and then
 * runs the rest outside of the transaction. postgres.js asks for a socket for each connection; here
 * it gets only the first. The client knows no array types: pass arrays as text or JSON.
 */
export function oneConnection(
  url: string,
  options: postgres.Options<Record<string, postgres.PostgresType>>,
): postgres.Sql {
  let asked = false;
  const socket = async ({ host: [host = ''], port: [port = 0], path }: Address) => {
    if (asked) throw connectionLost();
    asked = true;
    return dial(path ? { path } : { host, port }, host);
  };
  return postgres(url, {
    max: 1,
    connect_timeout: HANDSHAKE_TIMEOUT_S,
    // By default a connection ends after a while, even in an open transaction.
    max_lifetime: null,
    // With `fetch_types` the driver asks for the array types right after connecting. If the
    // connection ends before the answer, nothing catches the error, and 3.4.9 ends the process.
    fetch_types: false,
    onnotice: () => undefined,
    ...options,
    // The typings lack this option. The README of postgres.js documents it.
    ...{ socket },
  });
}

interface Address {
  host: string[];
  port: number[];
  path: string | false;
}

async function dial(
  address: { path: string } | { host: string; port: number },
  host: string,
): Promise<Socket> {
  const socket = createConnection(address);
  const late = AbortSignal.timeout(DIAL_TIMEOUT_MS);
  try {
    await once(socket, 'connect', { signal: late });
  } catch (error) {
    socket.destroy();
    throw late.aborted
      ? failure('CONNECT_TIMEOUT', 'the server could not be reached in time')
      : error;
  }
  // postgres.js closes only its half of the socket. A silent server never closes the other half.
  socket.once('finish', () => socket.destroy());
  // postgres.js checks the server's certificate against this name.
  return Object.assign(socket, { host });
}

export const connectionLost = (cause?: unknown) =>
  failure('CONNECTION_CLOSED', 'the connection to the database was lost', cause);

export const noAnswer = () => failure(NO_ANSWER, 'the database did not answer in time');

const failure = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });
