import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import postgres from 'postgres';
import { NO_ANSWER } from './sqlstate.ts';

/** Reaching a server takes a round trip. Without a bound, a dead machine takes two minutes. */
const DIAL_TIMEOUT_MS = 1_000;
/** The handshake takes some five round trips, a password's hash, and a new process of the server. */
const HANDSHAKE_TIMEOUT_S = 2;

/**
 * A postgres.js client of one connection that is never replaced.
 *
 * postgres.js reconnects by itself: without end while the server accepts and then closes, and in the
 * middle of a transaction, whose rest it then runs outside of it. It asks for a socket each time, and
 * here it gets one. It knows no types of arrays: pass them as text or JSON.
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
    // The default ends a connection after a while even where a transaction is open on it.
    max_lifetime: null,
    // With it the driver asks for the types of arrays when it has connected, and where the connection
    // ends before that is answered, nobody hears the error: 3.4.9 ends the process by it.
    fetch_types: false,
    onnotice: () => undefined,
    ...options,
    // The typings do not know this option; the README of postgres.js does.
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
  // postgres.js only ends its half, and who is silent never ends the other.
  socket.once('finish', () => socket.destroy());
  // By this name postgres.js checks the server's certificate.
  return Object.assign(socket, { host });
}

export const connectionLost = (cause?: unknown) =>
  failure('CONNECTION_CLOSED', 'the connection to the database was lost', cause);

export const noAnswer = () => failure(NO_ANSWER, 'the database did not answer in time');

const failure = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });
