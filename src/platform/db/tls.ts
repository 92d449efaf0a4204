import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import { connectionLost, failure } from './failure.ts';
import type { Tls } from './hosts.ts';

/** PostgreSQL answers this message with `S` (go on with TLS) or `N` (no TLS here). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Encrypts a fresh connection to PostgreSQL.
 *
 * postgres.js 3.4.9 can encrypt a connection too, but has three faults. It does not know
 * `sslrootcert`. It compares the certificate of an address such as 10.0.0.1 with the name
 * "localhost". It takes our listeners off the socket.
 */
export async function secured(
  plain: Socket,
  host: string,
  { mode, root }: Tls,
  signal: AbortSignal,
): Promise<Socket> {
  if (mode === 'disable') return plain;
  const ca = root === undefined ? {} : { ca: readFileSync(root) };
  plain.write(SSL_REQUEST);
  const word = await firstWord(plain, signal);
  if (word === 'N' && (mode === 'prefer' || mode === 'allow')) return plain;
  if (word === 'N') throw failure('NO_TLS', 'the server offers no TLS');
  // PostgreSQL sends one byte and waits for us. If there are more bytes, somebody on the network
  // has added them.
  if (word !== 'S') throw failure('NO_TLS', 'the answer is not from PostgreSQL');
  const socket: TLSSocket = connect({
    socket: plain,
    // Without `host`, Node.js would compare an address with the name "localhost".
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...ca,
    rejectUnauthorized: mode.startsWith('verify'),
    checkServerIdentity: mode === 'verify-full' ? checkServerIdentity : () => undefined,
  });
  await once(socket, 'secureConnect', { signal });
  return socket;
}

function firstWord(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(data.toString('latin1')));
    socket.once('error', reject);
    socket.once('close', () => reject(connectionLost()));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
