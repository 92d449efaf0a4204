import {
  connect,
  type DatabaseConnection,
  type Pooler,
  type StatementTime,
} from '../../platform/db/client.ts';
import { tellingOperator } from '../../platform/db/telling.ts';
import { databaseName as addressOf } from '../../platform/db/unusable.ts';
import type { Log } from '../../platform/process/log.ts';
import { longestAnswer } from '../../platform/waiting/admission.ts';
import { QUEUE_LIMITS } from '../claims/limits.ts';
import type { Config } from '../config/config.ts';
import { drainAndLog, type Listening, listen } from '../http/edge/listen.ts';
import type { Mount, Mounted } from '../http/mount.ts';
import { Feed } from '../live/feed.ts';
import { startClearing } from '../operation/clearing.ts';
import { createMetrics } from '../operation/metrics.ts';
import { type AppDeps, createApp } from './app.ts';
import { listenForScrapers } from './scraping.ts';
import { startTasks, type Tasks, type TasksOptions } from './tasks.ts';

/**
 * Returns how long a shutdown waits for running requests. This time is longer than any request may
 * take.
 */
const drainMs = (mounts: readonly Mount[]): number =>
  Math.max(
    longestAnswer(QUEUE_LIMITS),
    ...mounts.map(({ longestAnswerMs = 0 }) => longestAnswerMs),
  ) + 1_000;

/**
 * The number of connections for health checks and metrics. Requests and the cleanup have other
 * connections, so they do not delay these checks.
 */
const CONNECTIONS_OF_PROBES = 2;
/**
 * The number of connections for the cleanup of old rows. The cleanup may wait for a locked table.
 */
const CONNECTIONS_OF_CLEARING = 2;

export interface ServiceOptions
  extends Pick<AppDeps, 'auth' | 'corsOrigins' | 'rateLimit' | 'webhookLoopback'>,
    Pick<TasksOptions, 'workerName' | 'kinds' | 'stop'>,
    Partial<Pick<Config, 'scraping'>> {
  /** The URL of a migrated database. */
  databaseUrl: string;
  /** The mode of the pooler at this URL, if there is a pooler. */
  pooler?: Pooler;
  /** The name of the database in the log. By default, the address of the database. */
  databaseName?: string;
  host: string;
  /** 0 means any free port. */
  port: number;
  /**
   * Routes of other wings (other folders of `src`), such as the pages. By default, there are no
   * such routes.
   */
  mounts?: readonly Mount[];
  log: Log;
  /** How many hours an idempotency key is remembered. */
  keyHours?: number;
  /** How many minutes an offer of a waitlist lasts, unless the company chooses another time. */
  offerMinutes?: number;
  /** How many days an event is kept. */
  eventDays?: number;
  /** The number of worker slots of this process. By default, the process has no worker. */
  places?: number;
  /** How many hours a done or cancelled task is kept. */
  taskHours?: number;
}

export interface Service extends Pick<Listening, 'url' | 'sockets'> {
  /** The address of the separate port of the metrics. Undefined if there is no such port. */
  metricsUrl: string | undefined;
  /** The worker of this process. Undefined if the process has no worker. */
  worker: Tasks['worker'] | undefined;
  /** Resolves with the reason if the service must end, although nobody stopped it. */
  failed: Promise<string>;
  /**
   * Refuses new requests, waits for the end of running requests, and closes the connections to the
   * database.
   *
   * Until `heard` settles, new requests are answered with `shutting-down`. So load balancers and
   * clients can notice the shutdown and use another server. After `heard` has settled, the port
   * accepts no new connections.
   */
  stop(heard?: Promise<unknown>): Promise<void>;
}

/**
 * Starts the whole service over a database. Throws a `PlainError` if the build is incomplete, if
 * the service cannot listen, or if a living worker already has the worker's name. Throws the reason
 * of `stop` if `stop` ends the start of the worker.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { databaseUrl, host, port, log, keyHours, auth, corsOrigins, rateLimit } = options;
  const {
    databaseName = addressOf(databaseUrl),
    mounts = [],
    places = 0,
    workerName,
    offerMinutes,
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
  // After each commit of this process, the feed and the relay check for new events.
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
  const close = (connection: DatabaseConnection) => connection.close();

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
    offerMinutes,
    isDraining: () => draining,
    isAbleToRenew: () => tasks?.isAbleToRenew() ?? true,
    onDueTask: () => tasks?.wake(),
    auth,
    corsOrigins,
    rateLimit,
    webhookLoopback,
    metricsToken: scraping?.token,
    openPages: mounts.flatMap(({ openPages = [] }) => openPages),
    furtherProblems: Object.assign({}, ...mounts.map(({ problems }) => problems)),
  });
  const mounted: Mounted[] = [];
  const leaveMounts = () => Promise.all(mounted.map((each) => each.leave?.()));
  const closeMounts = () => Promise.all(mounted.map((each) => each.close?.()));
  const listenWithMounts = async () => {
    for (const mount of mounts) {
      const opened = mount.open({
        ...{ databaseUrl, databaseName, log, corsOrigins },
        stop: stopping.signal,
      });
      mounted.push(opened);
      app.route(mount.path, opened.routes());
    }
    return listen(app, host, port);
  };
  // If the service cannot listen, we close only the mounts. A mount may already have connections.
  // The pools open no connection before their first query.
  const listening = await listenWithMounts().catch(async (error) => {
    await Promise.all([leaveMounts(), closeMounts()]);
    throw error;
  });
  // The worker starts last. Otherwise a service that cannot listen would leave the name of its
  // worker in use.
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
    const closed = [pool, probes, forClearing].map(close);
    await Promise.all([...closed, leaveMounts(), closeMounts()]);
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
      // We end the event streams first. An open stream never ends by itself, so it would delay the
      // shutdown until the deadline.
      feed.close();
      stopping.abort();
      const left = leaveMounts();
      const cleared = clearing.stop();
      // The worker stops while the last requests are answered. If such a request adds a task, the
      // task is only a row in the database, so another worker runs the task.
      const worked = tasks?.stop();
      await heard;
      await drainAndLog(listening, drainMs(mounts), log);
      await forScrapers?.drain(0);
      // The cleanup may wait for a database that does not answer. Closing the connections ends this
      // wait.
      await Promise.all([...[pool, probes, forClearing].map(close), closeMounts()]);
      await Promise.all([cleared, worked, left]);
    },
  };
}
