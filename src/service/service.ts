import { longestAnswer } from '../claims/admission.ts';
import { QUEUE_LIMITS } from '../claims/limits.ts';
import { type Connection, connect } from '../db/client.ts';
import { tellingOfFullDisk } from '../db/full-disk.ts';
import { databaseName as addressOf, unusable } from '../db/unusable.ts';
import { createLab } from '../lab/http.ts';
import { RACE_CLAIM_LIMITS } from '../lab/race/races/http.ts';
import type { Trace } from '../lab/race/trace.ts';
import { openStages, PLAY_LIMITS } from '../lab/stages/lab-stages.ts';
import { Feed } from '../live/feed.ts';
import { startClearing } from '../operation/clearing.ts';
import { createMetrics } from '../operation/metrics.ts';
import { type Log, seldom } from '../process/log.ts';
import { OPEN_PAGES, webRoutes } from '../web/http.ts';
import { type AppDeps, createApp } from './app.ts';
import { type Listening, listen } from './listen.ts';
import { subscribers } from './subscribers.ts';

/** Longer than any answer takes. */
const DRAIN_MS =
  Math.max(...[QUEUE_LIMITS, RACE_CLAIM_LIMITS, PLAY_LIMITS].map(longestAnswer)) + 1_000;

/** Beside the claims: one asks whether the database answers, the others clear away. */
const CONNECTIONS_ASIDE = 3;

export interface ServiceOptions extends Pick<AppDeps, 'auth' | 'corsOrigins' | 'rateLimit'> {
  /** A database that is migrated already. */
  databaseUrl: string;
  /** How the log calls it; by its address when nothing is said. */
  databaseName?: string;
  host: string;
  /** 0: any free port. */
  port: number;
  lab: boolean;
  log: Log;
  /** How long an idempotency key is remembered. */
  keyHours?: number;
  /** Records what the lab's strategies do. */
  trace?: Trace;
}

export interface Service extends Pick<Listening, 'url' | 'sockets'> {
  /**
   * Refuses new requests, lets the running ones end, and closes the connections. Until `heard` is
   * settled the refusals are answers: `shutting-down`, so that whoever sends requests here can turn
   * elsewhere. From then on no connection is taken.
   */
  stop(heard?: Promise<unknown>): Promise<void>;
}

/** The whole service over a database, listening. Throws a `PlainError` when it cannot listen. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { databaseUrl, host, port, lab, log, trace, keyHours, auth, corsOrigins, rateLimit } =
    options;
  const { databaseName = addressOf(databaseUrl) } = options;
  const metrics = createMetrics();
  const logSeldom = seldom(log);
  const open = tellingOfFullDisk((error) =>
    logSeldom({ event: 'the database has no room', reason: unusable(databaseName, error).message }),
  );
  const pool = connect(databaseUrl, { open, observe: metrics.statement });
  metrics.gauge('rowlock_pool_lent', 'Connections in use.', () => pool.load().lent);
  metrics.gauge('rowlock_pool_waiting', 'Who waits for a connection.', () => pool.load().waiting);
  const aside = connect(databaseUrl, { open, connections: CONNECTIONS_ASIDE });
  const stages = lab ? openStages(databaseUrl, log, { name: databaseName, trace }) : undefined;
  const close = (connection: Pick<Connection, 'close'> | undefined) => connection?.close();

  let draining = false;
  const stopping = new AbortController();
  const feed = new Feed({ db: pool.db, url: databaseUrl, log });
  const app = createApp({
    db: pool.db,
    claimsDb: pool.first,
    subscribers,
    feed,
    isDraining: () => draining,
    log,
    metrics,
    probe: aside.db,
    keyHours,
    auth,
    corsOrigins,
    rateLimit,
    openPages: OPEN_PAGES,
  });
  app.route('/', webRoutes({ lab }));
  if (stages)
    app.route(
      '/lab',
      createLab({ log, stages, stop: stopping.signal, corsOrigins, around: trace?.around }),
    );
  // Pools open no connection before the first query. The stages do, to clear up.
  const listening = await listen(app, host, port).catch(async (error) => {
    await stages?.close();
    throw error;
  });
  const clearing = startClearing({ db: aside.db, subscribers }, log);
  return {
    url: listening.url,
    sockets: listening.sockets,
    async stop(heard) {
      draining = true;
      // Streams would run on for as long as the drain has patience.
      feed.close();
      stopping.abort();
      const cleared = clearing.stop();
      await heard;
      if (await listening.drain(DRAIN_MS)) log.error({ event: 'requests cut off at the deadline' });
      // This ends what the clearing still waits for, where the database is silent.
      await Promise.all([pool, aside, stages].map(close));
      await cleared;
    },
  };
}
