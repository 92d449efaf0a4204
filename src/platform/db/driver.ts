import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import postgres from 'postgres';
import { connectionLost, failure } from './failure.ts';
import { type Tls, takeTls } from './hosts.ts';
import { secured } from './tls.ts';

/**
 * The maximum time for connecting a socket. Connecting takes one round trip. Without a limit,
 * connecting to a dead machine takes two minutes.
 */
const DIAL_TIMEOUT_MS = 1_000;
/**
 * The maximum time of the handshake. The handshake takes about five round trips, one password hash,
 * and the start of a server process.
 */
const HANDSHAKE_TIMEOUT_S = 2;

export type DriverOptions = postgres.Options<Record<string, postgres.PostgresType>>;

/** The address at which a server listens, and its TLS settings. */
interface Address {
  host: string;
  port: number;
  tls: Tls;
}

/**
 * Reads the host, the port and the TLS settings of an address. `rest` is the address for the
 * driver, without the TLS settings.
 */
function readAddress(url: string): { address: Address; rest: string } {
  const rest = new URL(url);
  const tls = takeTls(rest);
  if (tls === undefined) throw failure('NO_TLS', 'the address has an unknown sslmode');
  // A URL has brackets around an address of IPv6.
  const host = rest.hostname.replace(/^\[|\]$/g, '');
  return { address: { host, port: Number(rest.port || 5432), tls }, rest: rest.href };
}

/**
 * Makes a postgres.js client with a single connection that is never replaced.
 *
 * postgres.js reconnects by itself. If a server accepts connections and then closes them,
 * postgres.js reconnects without end. It also reconnects in the middle of a transaction. The
 * remaining statements then run outside of the transaction. postgres.js calls the option `socket`
 * for each connection. Our `socket` makes one connection, and throws an error at each later call.
 *
 * `url` names one host. postgres.js 3.4.9 also takes several hosts. But if one of these hosts
 * cannot be reached, postgres.js loses the errors, and the queries wait for ever
 * (porsager/postgres, issue 1174). postgres.js also cannot read an IPv6 address. So `connect` makes
 * the connection, and postgres.js reads only the account and the database. In `rest`, an `@` in the
 * password is encoded. Otherwise postgres.js would take a part of the password for a host.
 */
export function clientOver(
  url: string,
  options: DriverOptions,
  connect: () => Promise<Socket> = () => dial(url),
): postgres.Sql {
  let asked = false;
  let ended = false;
  const socket = async () => {
    if (asked) throw connectionLost();
    asked = true;
    const connected = await connect();
    // postgres.js closes only its own half of the socket. A silent server never closes the other
    // half, so we destroy the socket.
    connected.once('finish', () => connected.destroy());
    // The client was ended during the dial. postgres.js would keep this connection open, and nobody
    // would ever close the connection.
    if (ended) {
      connected.destroy();
      throw connectionLost();
    }
    return connected;
  };
  const client = postgres(readAddress(url).rest, {
    max: 1,
    // The socket is encrypted already.
    ssl: false,
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
  const { end: endDriver } = client;
  const end: typeof client.end = (patience) =>
    endDriver(patience).finally(() => {
      ended = true;
    });
  return Object.assign(client, { end });
}

/**
 * Connects to the one host of the address. Throws CONNECT_TIMEOUT if a server does not answer in
 * time.
 */
export async function dial(url: string): Promise<Socket> {
  const { host, port, tls } = readAddress(url).address;
  const plain = createConnection({ host, port });
  try {
    await within(DIAL_TIMEOUT_MS, 'could not be reached', (signal) =>
      once(plain, 'connect', { signal }),
    );
    return await within(HANDSHAKE_TIMEOUT_S * 1000, 'does not answer', (signal) =>
      secured(plain, host, tls, signal),
    );
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

async function within<T>(ms: number, words: string, work: (signal: AbortSignal) => Promise<T>) {
  const late = AbortSignal.timeout(ms);
  try {
    return await work(late);
  } catch (error) {
    throw late.aborted ? failure('CONNECT_TIMEOUT', `the server ${words} in time`) : error;
  }
}
