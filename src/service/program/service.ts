import { QUEUE_LIMITS } from '../claims/limits.ts';
import type { Config } from '../config.ts';
import { type Connection, connect, type Pooler, type StatementTime } from '../db/client.ts';
import { tellingOperator } from '../db/telling.ts';
import { databaseName as addressOf } from '../db/unusable.ts';
import { createLab } from '../lab/http.ts';
import { Host } from '../lab/own/host.ts';
import type { Own } from '../lab/own/own.ts';
import { labMeanings } from '../lab/problems.ts';
import { RACE_CLAIM_LIMITS } from '../lab/race/races/http.ts';
import type { Trace } from '../lab/race/trace.ts';
import { openStages, PLAY_LIMITS } from '../lab/stages/lab-stages.ts';
import { Feed } from '../live/feed.ts';
import { startClearing } from '../operation/clearing.ts';
import { createMetrics } from '../operation/metrics.ts';
import type { Log } from '../process/log.ts';
import { longestAnswer } from '../waiting/admission.ts';
import { OPEN_PAGES, webRoutes } from '../web/http.ts';
import { type AppDeps, createApp } from './app.ts';
import { type Listening, listen } from './listen.ts';
import { listenForScrapers } from './scraping.ts';
import { startTasks, type Tasks, type TasksOptions } from './tasks.ts';

/** How long a shutdown waits for running requests. This is longer than any answer takes. */
const DRAIN_MS =
  Math.max(...[QUEUE_LIMITS, RACE_CLAIM_LIMITS, PLAY_LIMITS].map(longestAnswer)) + 1_000;

/** The connections of health checks and metrics. Neither requests nor the clearing delay them. */
const CONNECTIONS_OF_PROBES = 2;
/** The connections for the removal of old rows. The clearing may wait for a locked table. */
const CONNECTIONS_OF_CLEARING = 2;

export interface ServiceOptions
  extends Pick<AppDeps, 'auth' | 'corsOrigins' | 'rateLimit' | 'webhookLoopback'>,
    Pick<TasksOptions, 'workerName' | 'kinds' | 'stop'>,
    Partial<Pick<Config, 'scraping'>> {
  /** The URL of a migrated database. */
  databaseUrl: string;
  /** How a pooler at this URL lends its sessions. The lab does not work behind a pooler. */
  pooler?: Pooler;
  /** The name of the database in the log. By default, the address of the database. */
  databaseName?: string;
  host: string;
  /** 0 means any free port. */
  port: number;
  lab: boolean;
  /** A student's code that the lab shows. */
  own?: Own | undefined;
  log: Log;
  /** How many hours an idempotency key is remembered. */
  keyHours?: number;
  /** How many days an event is kept. */
  eventDays?: number;
  /** How many tasks the worker of this process runs at the same time. By default there is none. */
  places?: number;
  /** How many hours a done or cancelled task is kept. */
  taskHours?: number;
  /** Records the statements of the lab's strategies. */
  trace?: Trace;
}

export interface Service extends Pick<Listening, 'url' | 'sockets'> {
  /** The address of the metrics' own port. Undefined if there is none. */
  metricsUrl: string | undefined;
  /** The worker of this process. Undefined if there is none. */
  worker: Tasks['worker'] | undefined;
  /** Resolves with the reason if the service must end, although nobody stopped it. */
  failed: Promise<string>;
  /**
   * Refuses new requests, waits for the end of running requests, and closes the connections.
   *
   * Until `heard` settles, new requests are answered with `shutting-down`, so load balancers and
   * clients can use another server. After that, new connections are refused.
   */
  stop(heard?: Promise<unknown>): Promise<void>;
}

/**
 * Starts the whole service over a database. Throws a `PlainError` if the build is incomplete, if the
 * service cannot listen, or if a living worker has the name of its worker. Throws the reason of
 * `stop` if `stop` ends the start of the worker.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { databaseUrl, host, port, lab, own, log, trace, keyHours, auth, corsOrigins, rateLimit } =
    options;
  const {
    databaseName = addressOf(databaseUrl),
    places = 0,
    workerName,
    eventDays,
    taskHours,
    pooler,
    kinds,
    webhookLoopback,
    scraping,
    stop,
  } = options;
  const metrics = createMetrics();
  const open = tellingOperator(log, databaseName);
  // Followers and the relay look for new events after a commit of this process.
  const observe = (statement: StatementTime) => {
    feed.observe(statement);
    tasks?.observe(statement);
  };
  const pool = connect(databaseUrl, {
    pooler,
    open,
    observe(statement) {
      metrics.statement(statement);
      observe(statement);
    },
  });
  metrics.gauge('rowlock_pool_lent', 'Connections in use.', () => pool.load().lent);
  metrics.gauge(
    'rowlock_pool_waiting',
    'Users that wait for a connection.',
    () => pool.load().waiting,
  );
  const probes = connect(databaseUrl, { pooler, open, connections: CONNECTIONS_OF_PROBES });
  const forClearing = connect(databaseUrl, {
    pooler,
    open,
    connections: CONNECTIONS_OF_CLEARING,
    observe,
  });
  const close = (connection: Pick<Connection, 'close'> | undefined) => connection?.close();

  let draining = false;
  let tasks: Tasks | undefined;
  const stopping = new AbortController();
  const feed = new Feed({ db: pool.db, log });
  const app = createApp({
    db: pool.db,
    claimsDb: pool.first,
    feed,
    probe: probes.db,
    log,
    metrics,
    keyHours,
    isDraining: () => draining,
    isAbleToRenew: () => tasks?.isAbleToRenew() ?? true,
    onDueTask: () => tasks?.wake(),
    auth,
    corsOrigins,
    rateLimit,
    webhookLoopback,
    metricsToken: scraping?.token,
    openPages: OPEN_PAGES,
    furtherProblems: lab ? labMeanings : undefined,
  });
  app.route('/', webRoutes({ lab }));
  const stages = lab ? openStages(databaseUrl, log, { name: databaseName, trace }) : undefined;
  const hosted = lab && own ? new Host(own, databaseUrl) : undefined;
  const listenWithLab = async () => {
    if (stages)
      app.route(
        '/lab',
        createLab({
          ...{ log, stages, stop: stopping.signal, own: hosted, corsOrigins },
          around: trace?.around,
        }),
      );
    return listen(app, host, port);
  };
  // If the service cannot listen, only the stages must be closed. The stages open connections at
  // once, because they remove leftovers. The pools open no connection before their first query.
  const listening = await listenWithLab().catch(async (error) => {
    await Promise.all([stages, hosted].map(close));
    throw error;
  });
  // The worker starts last. A service that cannot listen must not leave the name of its worker in
  // use.
  let forScrapers: Listening | undefined;
  try {
    if (scraping) forScrapers = await listenForScrapers(scraping, log, metrics);
    if (places > 0)
      tasks = await startTasks({
        ...{ databaseUrl, pooler, places, requestsFirst: true },
        ...{ workerName, kinds, webhookLoopback },
        ...{ log, metrics, open, stop },
      });
  } catch (error) {
    await Promise.all([listening.drain(0), forScrapers?.drain(0)]);
    await Promise.all([pool, probes, forClearing, stages, hosted].map(close));
    throw error;
  }
  const clearing = startClearing(forClearing.db, log, { eventDays, taskHours });
  return {
    url: listening.url,
    sockets: listening.sockets,
    metricsUrl: forScrapers?.url,
    worker: tasks?.worker,
    failed: tasks?.failed ?? new Promise(() => undefined),
    async stop(heard) {
      draining = true;
      // An open event stream would delay the shutdown until its connection is closed by force.
      feed.close();
      stopping.abort();
      const left = hosted?.close();
      const cleared = clearing.stop();
      // The worker stops while the last requests are answered. A request may still make a task. A
      // task is only a row, so another worker runs the task.
      const worked = tasks?.stop();
      await heard;
      if (await listening.drain(DRAIN_MS)) log.error({ event: 'requests cut off at the deadline' });
      await forScrapers?.drain(0);
      // The clearing may wait for a silent database. Closing the connections ends this wait.
      await Promise.all([pool, probes, forClearing, stages].map(close));
      await Promise.all([cleared, worked, left]);
    },
  };
}
