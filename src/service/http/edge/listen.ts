import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { PlainError } from '../../../platform/process/errors.ts';
import { type Log, stopwatch } from '../../../platform/process/log.ts';
import { whenLate } from '../../../platform/waiting/deadline.ts';
import { problem } from '../problem.ts';
import { malformedAddress } from '../problems.ts';
import { CommonResponse } from './response.ts';
import { namesOnePlace } from './target.ts';

const IDLE_CHECK_MS = 50;

export interface ListenLimits {
  /**
   * How many sockets may be open at the same time. Further new sockets are closed immediately. Each
   * socket needs a file and some kilobytes of memory.
   */
  sockets: number;
  /** How many of the sockets one network address may have. */
  socketsPerAddress: number;
  /** How long a client may take to send the first line and the headers of a request. */
  headMs: number;
  /**
   * How long a client may take to send the whole request. The time until the answer does not count.
   */
  requestMs: number;
}

const LIMITS = {
  // Many clients of a service may come through one proxy.
  socketsPerAddress: Number.POSITIVE_INFINITY,
  headMs: 10_000,
  requestMs: 20_000,
};

/**
 * The maximum number of sockets. All waiting claims and all followers together need fewer sockets.
 */
const MOST_SOCKETS = 20_000;
/**
 * How many files the server keeps for other purposes than clients. A started server has 22 files
 * open. It may open about 90 more for its pools, the lab's stages, the sandbox, the pages and the
 * keys of tokens.
 */
const FILES_ASIDE = 120;

/**
 * Returns how many sockets to allow if the process may open this many files. With a low limit, a
 * quarter of the files is for clients.
 */
export const socketsWith = (files: number): number =>
  Math.min(MOST_SOCKETS, Math.max(files - FILES_ASIDE, Math.floor(files / 4)));

export interface Listening {
  /** The address of the service, with the actual port. */
  url: string;
  /** How many connections may be open at the same time. */
  sockets: number;
  /**
   * Accepts no new connections, and waits for the end of running requests. After `patienceMs`,
   * closes all connections that are still open. Returns true if this was necessary.
   */
  drain(patienceMs: number): Promise<boolean>;
}

/** The setting from which the port comes. Messages to the operator name this setting. */
export type PortSetting = 'PORT' | 'WORKER_PORT' | 'METRICS_PORT' | '--port';

interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>;
}

/**
 * Serves the app on an address. Throws a `PlainError` if the address is in use or may not be used.
 */
export async function listen(
  app: App,
  host: string,
  port: number,
  limits: Partial<ListenLimits> = {},
  setting: PortSetting = 'PORT',
): Promise<Listening> {
  const { sockets = socketsWith(fileLimit()), ...each } = { ...LIMITS, ...limits };
  const { headMs, requestMs, socketsPerAddress } = each;
  const options = {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: headMs / 2,
    ServerResponse: CommonResponse<IncomingMessage>,
  };
  const server = createServer(options, requestListener(app));
  // This listener refuses requests with the method CONNECT. Without this listener, Node would close
  // the connection without an answer.
  server.on('connect', (_, socket) => {
    socket.on('error', () => undefined);
    socket.end(REFUSED_CONNECT, () => socket.destroy());
  });
  server.maxConnections = sockets;
  if (Number.isFinite(socketsPerAddress)) shareSockets(server, socketsPerAddress);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new PlainError(explain((error as NodeJS.ErrnoException).code, host, port, setting));
  }
  const { address, family, port: given } = server.address() as AddressInfo;
  return {
    sockets,
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${given}`,
    async drain(patienceMs) {
      const closed = once(server, 'close');
      server.close();
      let cut = false;
      // Clients keep a connection open after an answer. `server.close()` closed only the
      // connections that were idle at that moment. So we close idle connections again and again.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      await whenLate(closed, patienceMs, () => {
        cut = true;
        server.closeAllConnections();
      });
      clearInterval(idle);
      return cut;
    },
  };
}

/** Drains, and logs the beginning and the end. */
export async function drainAndLog(listening: Listening, patienceMs: number, log: Log) {
  const took = stopwatch();
  log.info({ event: 'drain begun', of: 'requests' });
  if (await listening.drain(patienceMs))
    log.error({ event: 'requests cut off at the deadline', milliseconds: took() });
  else log.info({ event: 'drained', of: 'requests', milliseconds: took() });
}

/** Closes each new socket of an address that already has its maximum number of sockets. */
function shareSockets(server: Server, most: number) {
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (counts.get(address) ?? 0) + 1;
    if (count > most) return void socket.destroy();
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}

const REFUSED_CONNECT = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/**
 * Passes requests to the app. Refuses malformed addresses, which our own check or Hono's adapter
 * for Node finds.
 */
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

function explain(
  code: string | undefined,
  host: string,
  port: number,
  setting: PortSetting,
): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port with ${setting}.`;
  if (code === 'EACCES')
    return `Port ${port} on ${host} may not be used by this account. Choose another port with ${setting}.`;
  return `Cannot listen on HOST ${host}, ${setting} ${port}: ${code}.`;
}

/**
 * Returns how many files this process may have open at the same time. Sockets count as files. The
 * limit is `ulimit -n`. Node raises this limit as far as the system allows. Returns Infinity if
 * there is no limit, as on Windows.
 *
 * We read the limit from Node's diagnostic report, because no other source works on every system.
 * The report takes 4 ms.
 */
export function fileLimit(): number {
  const { soft } = readReport().userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

interface Report {
  excludeNetwork?: boolean;
  getReport(): object;
}

interface Limits {
  userLimits?: { open_files?: { soft: number | 'unlimited' } };
}

function readReport(): Limits {
  // The types do not have `excludeNetwork`. Without this option the report asks the name server
  // about the other end of each connection. Every request then waits for the answer.
  const report: Report = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const made = report.getReport();
  report.excludeNetwork = excludeNetwork;
  return made;
}
