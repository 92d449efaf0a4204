import { totalmem } from 'node:os';
import { Copy } from '../../src/explorer/programs/copy.ts';
import { databaseIn } from '../../src/platform/db/hosts.ts';
import { startEmbedded } from '../../src/platform/postgres/embedded.ts';
import { addDatabase, openScratch, type Scratch } from '../../src/platform/postgres/scratch.ts';
import { unlessStopped } from '../../src/platform/process/main.ts';
import { prepareDatabase } from '../../src/service/database/migrate.ts';
import type { FollowOrder } from './load/follow.ts';
import type { Heard, Order } from './load/load.ts';
import {
  type Receiver,
  type Server,
  type Side,
  startFollowers,
  startLoader,
  startReceiver,
  startServer,
  startTool,
  type ToolProcess,
} from './processes.ts';
import type { Peers } from './queue/peers.ts';
import type { ToolName } from './queue/tool.ts';
import { type Seed, seed, withConnection } from './seed.ts';

/**
 * The surroundings of a measurement: a PostgreSQL, the servers, the load and the followers. Each of
 * these parts runs in separate processes.
 */
export interface Arena {
  /** Makes a new migrated database with these rows. Returns the database's address. */
  makeDatabase(name: string, rows: Seed): Promise<string>;
  /**
   * Copies a database that has no connections. The copy has the same rows on the same pages.
   * Returns the address of the copy.
   */
  copyDatabase(name: string, of: string): Promise<string>;
  /** Makes a new database without tables. Returns the database's address. */
  makeEmptyDatabase(name: string): Promise<string>;
  startServer(side: Side, databaseUrl: string, settings?: Record<string, string>): Promise<Server>;
  /**
   * Starts a program in any language. `command` is a command line for a shell. Throws a
   * `UsageError` if the program does not listen on the port in `PORT`.
   */
  startProgram(name: string, command: string, databaseUrl: string): Promise<Pick<Server, 'origin'>>;
  /** Starts a receiver of webhooks. */
  startReceiver(): Receiver;
  startTool(name: ToolName, peers: Peers): Promise<ToolProcess>;
  makeLoad(order: Order): Promise<Heard[]>;
  /**
   * Sends an order to the followers. The order `claim` returns one number for each claim: the
   * milliseconds from the answer until the last follower received the event. Other orders return an
   * empty list.
   */
  follow(order: FollowOrder): Promise<number[]>;
  stop: AbortSignal;
}

/** Runs `work` in a new arena. Then ends all processes and drops all databases of the arena. */
export async function withArena<T>(
  databaseUrl: string | undefined,
  stop: AbortSignal,
  work: (arena: Arena) => Promise<T>,
): Promise<T> {
  const scratch = await openScratch(databaseUrl, stop, () => startTuned(stop));
  const servers: { stop(): Promise<void> }[] = [];
  const helpers: { stop(): void }[] = [];
  let loader: ReturnType<typeof startLoader> | undefined;
  let followers: ReturnType<typeof startFollowers> | undefined;
  try {
    loader = startLoader();
    const { ask } = loader;
    return await work({
      async makeDatabase(name, rows) {
        const url = await addDatabase(scratch.url, name);
        await prepareDatabase(url);
        await unlessStopped(stop, seed(url, rows));
        return url;
      },
      makeEmptyDatabase: (name) => addDatabase(scratch.url, name),
      copyDatabase: (name, of) => addDatabase(scratch.url, name, databaseIn(of)),
      async startServer(side, url, settings) {
        stop.throwIfAborted();
        const server = await startServer(side, url, settings);
        servers.push(server);
        return server;
      },
      async startProgram(name, command, databaseUrl) {
        const program = await Copy.start({ name, command, databaseUrl }, stop);
        servers.push({ stop: () => program.end() });
        return program;
      },
      startReceiver() {
        const receiver = startReceiver();
        helpers.push(receiver);
        return { ask: (order) => unlessStopped(stop, receiver.ask(order)), stop: receiver.stop };
      },
      async startTool(name, peers) {
        stop.throwIfAborted();
        const tool = await startTool(name, peers);
        helpers.push(tool);
        return { ask: (order) => unlessStopped(stop, tool.ask(order)), stop: tool.stop };
      },
      makeLoad: async (order) => (await unlessStopped(stop, ask(order))).heard,
      async follow(order) {
        followers ??= startFollowers();
        return (await unlessStopped(stop, followers.ask(order))).toldMs;
      },
      stop,
    });
  } finally {
    loader?.stop();
    followers?.stop();
    for (const helper of helpers) helper.stop();
    await Promise.all(servers.map((server) => server.stop()));
    await scratch.stop();
  }
}

/**
 * PostgreSQL's manual advises a quarter of the memory for a dedicated server. We use at most 1 GB.
 */
const SHARED_BUFFERS_MB = Math.min(1024, Math.floor(totalmem() / 2 ** 20 / 4));

/**
 * Starts a PostgreSQL with larger `shared_buffers`. A million jobs do not fit into the default of
 * 128 MB, so PostgreSQL would copy their pages from the system's cache.
 */
async function startTuned(stop: AbortSignal): Promise<Scratch> {
  const server = await startEmbedded(undefined, stop, { durable: true });
  await withConnection(server.url, (sql) =>
    sql.unsafe(`ALTER SYSTEM SET shared_buffers = '${SHARED_BUFFERS_MB}MB'`),
  );
  await server.restart();
  return server;
}
