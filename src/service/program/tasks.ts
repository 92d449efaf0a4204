import { type ConnectOptions, connect, type Pooler, type StatementTime } from '../db/client.ts';
import { retryAtStart } from '../db/retry.ts';
import type { Metrics } from '../operation/metrics.ts';
import { lookForRestore, watchForRestores } from '../operation/restores.ts';
import type { Log } from '../process/log.ts';
import { version } from '../process/project.ts';
import type { Kind } from '../queue/kind.ts';
import { SESSIONS_OF_WORKER } from '../queue/sessions.ts';
import { startWorker, type Worker } from '../queue/worker/worker.ts';
import { inTime } from '../waiting/deadline.ts';
import { webhookKinds } from '../webhooks/kinds.ts';
import { startRelay } from '../webhooks/relay/relay-loop.ts';

/**
 * Claims of tasks, outcomes and heartbeats share these connections. One statement that waits for a
 * lock leaves two connections to the others. Claims of jobs have other connections.
 */
const CONNECTIONS = 3;

/** The connections of the relay and of running tasks. They never delay a heartbeat. */
const CONNECTIONS_OF_TASKS = 2;

/**
 * How long running tasks may go on after a stop. The worker then aborts them, and gives them back.
 * This is shorter than a server waits for its running requests.
 */
const GRACE_MS = 10_000;

/** How long the worker may write to the database at its end. A silent database takes longer. */
const LAST_WRITES_MS = 4_000;

export interface TasksOptions {
  databaseUrl: string;
  pooler?: Pooler;
  /** How many tasks the worker runs at the same time. */
  places: number;
  /** True if the process also answers requests. */
  requestsFirst?: boolean;
  workerName?: string | undefined;
  log: Log;
  metrics: Metrics;
  open: ConnectOptions['open'];
  /** Whether webhooks may go to this machine. */
  webhookLoopback?: boolean | undefined;
  /** The default is all kinds of this version. */
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
  kinds?: readonly Kind<any>[] | undefined;
  /** Ends a start that waits for the database. It does not end running tasks. */
  stop?: AbortSignal | undefined;
}

/** The part of a process that works on tasks. */
export interface Tasks {
  worker: { name: string; places: number };
  /** Resolves with the reason if the worker must end, although nobody stopped it. */
  failed: Promise<string>;
  /** Looks for due tasks at once. */
  wake(): void;
  /** Must be called after each statement of this process. After a COMMIT there may be new events. */
  observe(statement: Pick<StatementTime, 'text'>): void;
  isAbleToRenew(): boolean;
  /**
   * Claims no more tasks. Running tasks may end within `GRACE_MS`. Gives the others back, and
   * closes the connections.
   */
  stop(): Promise<void>;
}

/**
 * Starts a worker with connections of its own. Throws a `PlainError` if a living worker has the
 * name, and the reason of `stop` if `stop` ends the start.
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
  let stopped: Promise<void> | undefined;
  const end = async (worker: Worker, others: { stop(): Promise<void> }[]) => {
    const ended = Promise.all([worker.stop(GRACE_MS), ...others.map((each) => each.stop())]);
    await inTime(ended, GRACE_MS + LAST_WRITES_MS, () => undefined);
    await closeAll();
  };
  try {
    // Before the first claim of a task, so that a restored database sends nothing.
    await retryAtStart(() => lookForRestore(ofTasks.db), { stop });
    const { observe } = metrics.tasks;
    const worker = await startWorker({
      db,
      kinds: kinds ?? webhookKinds(ofTasks.db, { loopback }),
      places,
      requestsFirst,
      name,
      version,
      log,
      stop,
      observe,
    });
    const watch = watchForRestores(ofTasks.db, log);
    const relay = startRelay({ db: ofTasks.db, log, onDueTask: () => worker.wake() });
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
    // After a stop nobody waits for a statement of the start, which may wait for a lock.
    if (!stop?.aborted) await closed;
    throw error;
  }
}
