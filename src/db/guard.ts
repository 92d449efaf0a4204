/**
 * The guard: a process of its own that runs a PostgreSQL server, and stops it when its parent says
 * so or is gone, SIGKILL included: either way the channel between the two closes.
 *
 * Only `embedded.ts` starts it: detached, so that a terminal's Ctrl-C does not reach it and the
 * database outlives the last requests of its draining parent.
 */
import { rmSync } from 'node:fs';
import { describe, PlainError } from '../errors.ts';
import { openCluster } from './cluster.ts';
import { openHome } from './home.ts';
import { startServer } from './postmaster.ts';

/** What the parent asks for: a directory to keep the data in, or none for a throw-away server. */
export interface GuardOrder {
  keepIn: string | undefined;
  /** Undefined: a free one. */
  port: number | undefined;
}

export type GuardReport =
  | { kind: 'ready'; port: number; password: string; home: string }
  | { kind: 'failed'; message: string };

const parentGone = new AbortController();
const gone = new Promise<void>((resolve) => {
  process.once('disconnect', () => {
    parentGone.abort();
    resolve();
  });
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

process.once('message', (order: GuardOrder) => {
  guard(order)
    .catch((error: unknown) => {
      if (parentGone.signal.aborted) return;
      report({
        kind: 'failed',
        message: error instanceof PlainError ? error.message : describe(error),
      });
    })
    .finally(() => process.exit());
});

async function guard({ keepIn, port }: GuardOrder) {
  const throwAway = keepIn === undefined;
  const opened = openHome(keepIn);
  try {
    const cluster = await openCluster(opened, throwAway, parentGone.signal);
    const server = await startServer(cluster, parentGone.signal, port);
    const { home, password } = cluster;
    report({ kind: 'ready', port: server.port, password, home });
    const reason = await Promise.race([gone, server.ended]);
    if (reason !== undefined) throw new PlainError(`PostgreSQL ended by itself: ${reason}`);
    await server.stop();
  } finally {
    if (throwAway) rmSync(opened.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function report(message: GuardReport) {
  if (process.connected) process.send?.(message);
}
