import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { CommonResponse } from '../http/edge/response.ts';
import { namesOnePlace } from '../http/edge/target.ts';
import { problem } from '../http/problem.ts';
import { malformedAddress } from '../http/problems.ts';
import { PlainError } from '../process/errors.ts';
import { fileLimit } from './file-limit.ts';

const IDLE_CHECK_MS = 50;

export interface ListenLimits {
  /** Sockets at once; past that a new one is closed. Each costs a file, and some kilobytes. */
  sockets: number;
  /** How long a client may take to send the head of a request. */
  headMs: number;
  /** How long it may take for the whole of it. How long the answer takes is nothing to that. */
  requestMs: number;
}

const LIMITS = { headMs: 10_000, requestMs: 20_000 };

/** More than there may be claims that wait, and followers. Requests have a few hundred bytes. */
const MOST_SOCKETS = 20_000;
/**
 * Files that are not for clients. A started server has 22 files open. It may open some 70 more for its
 * pools, the lab's stages, the pages and the keys.
 */
const FILES_ASIDE = 100;

/** With few files, a quarter of them is for clients. */
export const socketsWith = (files: number): number =>
  Math.min(MOST_SOCKETS, Math.max(files - FILES_ASIDE, Math.floor(files / 4)));

export interface Listening {
  /** Where it answers, with the port that it got. */
  url: string;
  /** How many connections it takes at once. */
  sockets: number;
  /**
   * Takes no new connection, lets what runs end, and cuts off what is left after `patienceMs`.
   * Tells whether anything was.
   */
  drain(patienceMs: number): Promise<boolean>;
}

interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>;
}

/** Serves the app on an address. Throws a `PlainError` when that is taken or not ours. */
export async function listen(
  app: App,
  host: string,
  port: number,
  limits: Partial<ListenLimits> = {},
): Promise<Listening> {
  const { sockets = socketsWith(fileLimit()), headMs, requestMs } = { ...LIMITS, ...limits };
  const options = {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: headMs / 2,
    ServerResponse: CommonResponse<IncomingMessage>,
  };
  const server = createServer(options, requestListener(app));
  // Without a listener Node closes the connection, and the client does not hear why.
  server.on('connect', (_, socket) => {
    socket.on('error', () => undefined);
    socket.end(REFUSED_CONNECT, () => socket.destroy());
  });
  server.maxConnections = sockets;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new PlainError(explain((error as NodeJS.ErrnoException).code, host, port));
  }
  const { address, family, port: given } = server.address() as AddressInfo;
  return {
    sockets,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${given}`,
    async drain(patienceMs) {
      const closed = once(server, 'close');
      server.close();
      let cut = false;
      const timer = setTimeout(() => {
        cut = true;
        server.closeAllConnections();
      }, patienceMs);
      // A client keeps its connection after its answer, and close() ended only those idle before.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      await closed;
      clearTimeout(timer);
      clearInterval(idle);
      return cut;
    },
  };
}

const REFUSED_CONNECT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/** Hands requests to the app. A malformed address is refused here, whoever notices it. */
const requestListener = (app: App) =>
  getRequestListener(
    (request, env) => {
      if (!namesOnePlace((env as HttpBindings).incoming)) throw new RequestError('no one place');
      return app.fetch(request, env);
    },
    {
      errorHandler: (error) =>
        error instanceof RequestError
          ? problem(malformedAddress)
          : new Response(null, { status: 500 }),
    },
  );

function explain(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop what runs there, or choose another with PORT.`;
  if (code === 'EACCES')
    return `Port ${port} on ${host} may not be used by this account. Choose another with PORT.`;
  return `Cannot listen on HOST ${host}, PORT ${port}: ${code}.`;
}
