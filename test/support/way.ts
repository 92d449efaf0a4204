import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to the database that can be cut, or freeze: then it takes everything and answers nothing. */
export async function makeWay(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let swallowed = 0;
  const server = createServer((near) => {
    const far = connect(Number(port || 5432), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (data) => (isFrozen ? swallowed++ : far.write(data)));
    far.on('data', (data) => isFrozen || near.write(data));
  });
  const listen = async (at = 0) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  onTestFinished(() => cut());
  const url = new URL(databaseUrl);
  const { port: own } = server.address() as AddressInfo;
  url.host = `127.0.0.1:${own}`;
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    mend: () => listen(own),
    /** How many messages were taken while frozen. */
    swallowed: () => swallowed,
    freeze(frozen: boolean) {
      isFrozen = frozen;
      if (!frozen) for (const socket of sockets) socket.destroy();
    },
  };
}
