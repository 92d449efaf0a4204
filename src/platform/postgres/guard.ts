/**
 * The guard is a separate process that runs PostgreSQL for its parent process. The guard runs one
 * server, or lends copies of a server. It stops its servers when the channel between the two
 * processes closes. The parent closes the channel to stop the servers. The channel also closes when
 * the parent ends, even after SIGKILL.
 *
 * Only `embedded.ts` starts the guard. The guard is detached, so a terminal's Ctrl-C does not reach
 * the guard. Therefore the database still runs while the parent ends its last requests.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { describe, PlainError } from '../process/errors.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { lend } from './copies/lender.ts';
import type { LenderReport, LendOrder } from './copies/orders.ts';
import { openHome } from './home.ts';
import { clearLeftovers, clearTemporary } from './leftovers.ts';
import type { GuardOrder, GuardReport, RestartOrder } from './orders.ts';
import { type Server, startServer } from './postmaster.ts';
import { copyAsStandby, followPrimary } from './standby.ts';

const parentGone = new AbortController();
const gone = new Promise<void>((resolve) => {
  process.once('disconnect', () => {
    parentGone.abort();
    resolve();
  });
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

process.once('message', (order: GuardOrder | LendOrder) => {
  const work =
    order.kind === 'lend' ? lend(order, { gone: parentGone.signal, tell: report }) : guard(order);
  work
    .catch((error: unknown) => {
      if (parentGone.signal.aborted) return;
      report({
        kind: 'failed',
        message: error instanceof PlainError ? error.message : describe(error),
      });
    })
    .finally(() => process.exit());
});

async function guard(order: GuardOrder) {
  const throwAway = order.keepIn === undefined;
  const opened = openHome(order);
  try {
    if (order.standbyOf) await copyAsStandby(order.standbyOf, opened);
    const cluster = await openCluster(opened, order, parentGone.signal);
    // The cleanup runs in the background. After an error, the next start removes the rest.
    if (throwAway) clearTemporary(opened.account);
    else clearLeftovers(opened.home, opened.account).catch(() => undefined);
    const server = await serve(cluster);
    await server.stop(throwAway ? 'SIGQUIT' : 'SIGINT');
  } finally {
    if (throwAway) rmSync(opened.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Runs the server until the parent is gone. Restarts the server each time the parent sends an
 * order.
 */
async function serve(cluster: Cluster): Promise<Server> {
  let server = await startServer(cluster, parentGone.signal);
  for (;;) {
    const { home, password } = cluster;
    report({ kind: 'ready', port: server.port, password, home });
    const restart = once(process, 'message').then(([restartOrder]) => restartOrder as RestartOrder);
    const event = await Promise.race([gone, restart, server.ended]);
    if (event === undefined) return server;
    if (typeof event === 'string') throw new PlainError(`PostgreSQL ended by itself: ${event}`);
    await server.stop(event.standbyOf ? 'SIGINT' : 'SIGQUIT');
    if (event.standbyOf) await followPrimary(event.standbyOf, cluster);
    server = await startServer(cluster, parentGone.signal, server.port);
  }
}

/**
 * Sends a report to the parent. A parent that was just killed still seems to be connected. Without
 * the callback, the failed message would end this process, and its servers would go on.
 */
function report(message: GuardReport | LenderReport) {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
