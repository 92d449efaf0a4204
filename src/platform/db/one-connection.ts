import type { Socket } from 'node:net';
import type postgres from 'postgres';
import { clientOver, type DriverOptions, dial } from './driver.ts';
import { hostsOf } from './hosts.ts';
import { primaryAmong } from './primary.ts';

/**
 * Makes a postgres.js client with a single connection that is never replaced. If `url` names
 * several hosts, the connection leads to the primary.
 *
 * The client knows no array types. Pass arrays as text or JSON.
 *
 * `onSocket` gets the socket as soon as it is connected.
 */
export function oneConnection(
  url: string,
  options: DriverOptions,
  onSocket: (socket: Socket) => void = () => undefined,
): postgres.Sql {
  const [first = url, ...others] = hostsOf(url);
  return clientOver(first, options, async () => {
    const socket = await (others.length > 0 ? primaryAmong(url).dial() : dial(first));
    onSocket(socket);
    return socket;
  });
}
