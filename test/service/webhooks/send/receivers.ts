import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { until } from '../../../../src/platform/waiting/until.ts';
import { send } from '../../../../src/service/webhooks/send/send.ts';
import { atEnd } from '../../../support/command.ts';

export const certificate = (name: string): string =>
  readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');

type Behaviour = (socket: Socket) => unknown;

interface Place {
  host?: string;
  port?: number;
  /** The name of the certificate to show. Without a certificate, the receiver speaks plain HTTP. */
  shows?: string;
}

/** Starts a receiver that calls `behave` with each connection, and counts its connections. */
export async function makeReceiver(
  behave: Behaviour,
  { host = '127.0.0.1', port = 0, shows }: Place = {},
) {
  const sockets: Socket[] = [];
  const connected = (socket: Socket) => {
    sockets.push(socket);
    // The sender closes connections early, and the receiver may still write.
    socket.on('error', () => undefined);
    // A socket that nobody reads does not notice its end.
    if (!shows) socket.resume();
  };
  const server = shows
    ? createTlsServer({ cert: certificate(shows), key: certificate('server-key') }, behave).on(
        'tlsClientError',
        () => undefined,
      )
    : createServer(behave);
  server.on('connection', connected);
  await once(server.listen(port, host), 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = promisify(server.getConnections.bind(server));
  const { port: chosen } = server.address() as AddressInfo;
  const scheme = shows ? 'https' : 'http';
  return {
    port: chosen,
    url: `${scheme}://localhost:${chosen}/hook`,
    connections: () => sockets.length,
    /** Resolves to true when every connection is closed. */
    closed: () => until(async () => (await open()) === 0, { everyMs: 10, withinMs: 10_000 }),
  };
}

/** Writes an answer as soon as the request begins to arrive. */
export const answers =
  (...lines: string[]): Behaviour =>
  (socket) =>
    socket.once('data', () => socket.end(`${lines.join('\r\n')}`));

export const ok = answers('HTTP/1.1 200 OK', 'content-length: 4', '', 'fine');

/** Sends a small message to a receiver on this machine. */
export const deliver = (url: string, more: { ca?: string; nameServers?: string[] } = {}) =>
  send(
    { url, headers: { 'webhook-id': 'msg_1' }, body: '{"a":"ä"}', loopback: true, ...more },
    new AbortController().signal,
  );
