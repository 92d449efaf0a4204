import {
  type ConnectOptions,
  connect,
  type Pooler,
  type StatementTime,
} from '../../platform/db/client.ts';
import { retryAtStart } from '../../platform/db/retry.ts';
import { type Log, stopwatch } from '../../platform/process/log.ts';
import { version } from '../../platform/process/project.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import type { Metrics } from '../operation/metrics.ts';
import { Poller } from '../operation/poller.ts';
import { lookForRestore, watchForRestores } from '../operation/restores.ts';
import type { TaskKind } from '../queue/kind.ts';
import { SESSIONS_OF_WORKER } from '../queue/sessions.ts';
import { startWorker, type Worker } from '../queue/worker/worker.ts';
import { webhookKinds } from '../webhooks/kinds.ts';
import { startRelay } from '../webhooks/relay/relay-loop.ts';

/**
 * The number of connections for claims of tasks, outcomes, heartbeats and polls. If one statement waits
 * for a lock, two connections are left for other statements. Claims of jobs use a different pool.
 */
const CONNECTIONS = 3;

/**
 * The number of connections for the relay, for running tasks and for writes after a restore.
 * Heartbeats use the other pool, so none of this work delays a heartbeat.
 */
const CONNECTIONS_OF_TASKS = 2;

/**
 * The time that running tasks have to end after a stop. After this time, the worker aborts the
 * attempts and gives the tasks back. A server waits longer for its running requests.
 */
const GRACE_MS = 10_000;

/**
 * The time after `GRACE_MS` in which a stopping worker may still write to the database. Without
 * this limit, a database that does not answer would delay the stop.
 */
const LAST_WRITES_MS = 4_000;

export interface TasksOptions {
  databaseUrl: string;
  pooler?: Pooler;
  /** The number of worker slots. Slow attempts need no slot. */
  places: number;
  /** True if the process also answers requests. */
  requestsFirst?: boolean;
  workerName?: string | undefined;
  log: Log;
  metrics: Metrics;
  open: ConnectOptions['open'];
  /** Whether webhooks may go to this machine. */
  webhookLoopback?: boolean | undefined;
  /** The kinds of tasks that the worker runs. The default is all kinds of this version. */
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
  kinds?: readonly TaskKind<any>[] | undefined;
  /** Ends a start that waits for the database. The signal does not end running tasks. */
  stop?: AbortSignal | undefined;
}

/** The part of a process that runs tasks and relays events. */
export interface Tasks {
  worker: { name: string; places: number };
  /** Resolves with the reason if the worker must end, although nobody stopped it. */
  failed: Promise<string>;
  /** Claims due tasks without waiting for the next poll. */
  wake(): void;
  /** Call this after each statement of this process, because a COMMIT may have added events. */
  observe(statement: Pick<StatementTime, 'text'>): void;
  isAbleToRenew(): boolean;
  /**
   * Claims no more tasks, and waits up to `GRACE_MS` for the running tasks. Then gives the
   * unfinished tasks back, and closes the connections.
   */
  stop(): Promise<void>;
}

/**
 * Starts a worker, a relay of events and the checks for a restore. They have their own connections.
 * Throws a `PlainError` if a living worker has the name. Throws the reason of `stop` if `stop` ends
 * the start.
 */
export async function startTasks({
  databaseUrl,
  pooler,
  places,
  requestsFirst,
  workerName: name,
  log,
  metrics,
  open,
  webhookLoopback: loopback = false,
  kinds,
  stop,
}: TasksOptions): Promise<Tasks> {
  const { db, close } = connect(databaseUrl, {
    pooler,
    open,
    connections: CONNECTIONS,
    settings: SESSIONS_OF_WORKER,
  });
  const ofTasks = connect(databaseUrl, { pooler, open, connections: CONNECTIONS_OF_TASKS });
  const closeAll = () => Promise.all([close(), ofTasks.close()]);
  const stopPolls = new AbortController();
  let stopped: Promise<void> | undefined;
  const end = async (worker: Worker, others: { stop(): Promise<void> }[]) => {
    const took = stopwatch();
    log.info({ event: 'drain begun', of: 'tasks', running: worker.load().running });
    stopPolls.abort();
    const ended = Promise.all([worker.stop(GRACE_MS), ...others.map((each) => each.stop())]);
    const drained = await inTime(ended, GRACE_MS + LAST_WRITES_MS, () => undefined);
    if (drained === undefined)
      log.error({ event: 'worker cut off at the deadline', milliseconds: took() });
    else log.info({ event: 'drained', of: 'tasks', milliseconds: took(), givenBack: drained[0] });
    await closeAll();
  };
  try {
    // We check for a restore before the worker starts. After a restore, this check pauses tasks and
    // webhooks until a person decides what happens to them.
    await retryAtStart(() => lookForRestore(ofTasks.db), { stop });
    const { observe } = metrics.tasks;
    const poller = new Poller(db, stopPolls.signal);
    const worker = await startWorker({
      db,
      poller,
      kinds: kinds ?? webhookKinds(ofTasks.db, { loopback }),
      places,
      requestsFirst,
      name,
      version,
      log,
      stop,
      observe,
    });
    const watch = watchForRestores(ofTasks.db, poller, log);
    const relay = startRelay({ db: ofTasks.db, poller, log, onDueTask: () => worker.wake() });
    metrics.tasks.worker(() => worker.load());
    return {
      worker: { name: worker.name, places },
      failed: worker.leaving.catch(({ message }: Error) => message),
      wake: () => worker.wake(),
      observe({ text }) {
        if (text === 'commit') relay.ring();
      },
      isAbleToRenew: () => worker.isAbleToRenew(),
      stop() {
        stopped ??= end(worker, [relay, watch]);
        return stopped;
      },
    };
  } catch (error) {
    const closed = closeAll();
    // A statement of the start may wait for a lock. After a stop, we do not wait for this
    // statement.
    if (!stop?.aborted) await closed;
    throw error;
  }
}
