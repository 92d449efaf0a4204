import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A relay to a database server. The relay acts as a load balancer in front of several servers. */
export interface Relay {
  /** The address of the database, through the relay. */
  url: string;
  /** Leads new connections to this server. Open connections still lead to the old server. */
  turn(databaseUrl: string): void;
  /**
   * After `hang(true)`, the relay accepts new connections but ignores their data. These connections
   * never get an answer, not even after `hang(false)`.
   */
  hang(on: boolean): void;
  /**
   * After `freeze(true)`, the relay drops all data in both directions, on old and new connections.
   * `freeze(false)` cuts all connections.
   */
  freeze(on: boolean): void;
  /**
   * After `delay(true)`, the relay holds back all data and all ends of connections. `delay(false)`
   * delivers the data and the ends in their order.
   */
  delay(on: boolean): void;
  /** Returns the number of pieces of data from clients that the frozen relay has dropped. */
  swallowed(): number;
  /** Cuts all connections, and accepts no new connections. */
  cut(): void;
  /** Accepts connections again after a cut. */
  mend(): Promise<void>;
}

export async function openRelay(databaseUrl: string): Promise<Relay> {
  const sockets = new Set<Socket>();
  let target = new URL(databaseUrl);
  let isHanging = false;
  let isFrozen = false;
  let isDelaying = false;
  let swallowed = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    return socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isHanging) return near.resume();
    const far = keep(connect(Number(target.port || 5432), target.hostname));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('data', (data) => (isFrozen ? swallowed++ : far.write(data)));
    far.on('data', (data) => isFrozen || near.write(data));
    // A paused socket is not read. Its data waits in the kernel.
    if (isDelaying) for (const socket of [near, far]) socket.pause();
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    turn(to) {
      target = new URL(to);
    },
    hang(on) {
      isHanging = on;
    },
    freeze(on) {
      isFrozen = on;
      if (!on) cutAll();
    },
    delay(on) {
      isDelaying = on;
      for (const socket of sockets) on ? socket.pause() : socket.resume();
    },
    swallowed: () => swallowed,
    cut() {
      server.close();
      cutAll();
    },
    mend: () => listen(port),
  };
}
