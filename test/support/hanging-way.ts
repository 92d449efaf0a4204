import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { atEnd } from './command.ts';

/**
 * Starts a relay to the database. The relay accepts the first `hanging` connections, but never
 * answers them.
 */
export async function makeHangingWay(databaseUrl: string, hanging: number) {
  const { hostname, port } = new URL(databaseUrl);
  const silent: Socket[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((near) => {
    near.on('error', () => undefined).on('close', () => open--);
    most = Math.max(most, ++open);
    if (silent.length < hanging) return void silent.push(near.resume());
    const far = createConnection(Number(port), hostname);
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    for (const socket of silent) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.href, silent, mostConnections: () => most };
}
