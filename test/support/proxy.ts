import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Passes an answer of the service on to the client. */
export function passOn(from: IncomingMessage, answer: ServerResponse): void {
  answer.writeHead(from.statusCode ?? 502, from.headers);
  from.pipe(answer);
}

/**
 * Starts an HTTP proxy that runs until the test ends. It sends each request to the address that
 * `addressOf` returns for the path. Without an address it answers 404. `respond` answers the client
 * after the service has answered.
 * @returns the proxy's origin
 */
export async function makeProxy(
  addressOf: (path: string) => string | undefined,
  respond: (from: IncomingMessage, answer: ServerResponse, method: string) => void = passOn,
): Promise<string> {
  const proxy = createServer((near, answer) => {
    const { method = 'GET', headers, url: path = '/' } = near;
    const address = addressOf(path);
    if (address === undefined) return answer.writeHead(404).end();
    const far = request(address, { method, headers }, (from) => respond(from, answer, method));
    // A page that is closed leaves requests without an answer. Each of them ends in an error.
    far.on('error', () => answer.destroy());
    answer.on('close', () => far.destroy());
    return near.pipe(far);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
