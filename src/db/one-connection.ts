import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import postgres from 'postgres';
import { NO_ANSWER } from './sqlstate.ts';

/**
 * How long to wait until the socket is connected. Connecting takes one round trip. Without a limit,
 * connecting to a dead machine takes two minutes.
 */
const DIAL_TIMEOUT_MS = 1_000;
/**
 * How long the handshake may take. It takes about five round trips, one password hash, and the
 * start of a server process.
 */
const HANDSHAKE_TIMEOUT_S = 2;

/**
 * A postgres.js client with a single connection that is never replaced.
 *
 * postgres.js reconnects by itself. If a server accepts connections and then closes them,
 * postgres.js reconnects without end. It also reconnects in the middle of a transaction. The
 * remaining statements then run outside of the transaction. postgres.js calls the option `socket`
 * for each connection. Our `socket` makes one connection, and throws an error at each later call.
 *
 * The client knows no array types. Pass arrays as text or JSON.
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
    // By default postgres.js ends a connection after a while, even in an open transaction.
    max_lifetime: null,
    // With `fetch_types` the driver asks for the array types right after connecting. If the
    // connection ends before the answer, postgres.js 3.4.9 does not catch the error, and the
    // process ends.
    fetch_types: false,
    onnotice: () => undefined,
    ...options,
    // The types lack this option. The README of postgres.js describes the option.
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
  // postgres.js closes only its own half of the socket. A silent server never closes the other
  // half, so we destroy the socket.
  socket.once('finish', () => socket.destroy());
  // postgres.js checks the server's certificate against this name.
  return Object.assign(socket, { host });
}

export const connectionLost = (cause?: unknown) =>
  failure('CONNECTION_CLOSED', 'the connection to the database was lost', cause);

export const noAnswer = () => failure(NO_ANSWER, 'the database did not answer in time');

const failure = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });
