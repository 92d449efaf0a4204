import { sql } from 'drizzle-orm';
import { type ConnectOptions, connect, type Database } from '../../src/platform/db/client.ts';
import { Poller } from '../../src/service/operation/poller.ts';
import { type ClaimedTask, claimTasks, type WantedTasks } from '../../src/service/queue/claim.ts';
import { enqueue, type NewTask } from '../../src/service/queue/enqueue.ts';
import { finishDone, finishFailed } from '../../src/service/queue/finish.ts';
import type { Hold } from '../../src/service/queue/held.ts';
import { cancelTask } from '../../src/service/queue/intervene.ts';
import type { AttemptOutcome, Attempt as RunningAttempt } from '../../src/service/queue/kind.ts';
import { SESSIONS_OF_WORKER } from '../../src/service/queue/sessions.ts';
import {
  startWorker,
  type WorkerEvent,
  type WorkerOptions,
} from '../../src/service/queue/worker/worker.ts';
import { collectLog } from './app.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';

/** Makes a database with a queue, and the functions that the tests of the queue need. */
export async function makeQueue(url?: string, options?: ConnectOptions) {
  const databaseUrl = url ?? (await makeDatabase());
  const { db, close } = connect(databaseUrl, { settings: SESSIONS_OF_WORKER, ...options });
  atEnd(close);
  return { url: databaseUrl, db, ...actsOn(db) };
}

const actsOn = (db: Database) => ({
  /**
   * Adds tasks of the kind `work`. By default they are due now, in the lane ''. Returns the ids.
   */
  add: (...tasks: Partial<NewTask>[]) =>
    enqueue(
      db,
      tasks.map((task) => ({ kind: 'work', payload: {}, attempts: 3, ...task })),
    ),
  /** Claims tasks for worker 1. */
  claim: (wanted: Partial<WantedTasks> = {}): Promise<ClaimedTask[]> =>
    claimTasks(db, {
      workerId: 1n,
      kinds: ['work'],
      count: 10,
      perLane: 10,
      running: new Map(),
      afterLane: '',
      ...wanted,
    }),
  /** Ends all leases, as if 15 s had passed. */
  endLeases: () =>
    db.execute(sql`update tasks set lease_until = statement_timestamp() - interval '1 ms'
      where lease_until is not null`),
  /** Returns the row of a task in the database. */
  async row(id: bigint | undefined) {
    const [row] = await db.execute(sql`select * from tasks where id = ${String(id)}`);
    return row as Record<string, unknown>;
  },
  /** Returns how the past attempts of a task ended, in order. */
  async ends(id: bigint | undefined) {
    const rows = await db.execute(
      sql`select ended from task_attempts where task_id = ${String(id)} order by attempt`,
    );
    return rows.map(({ ended }) => ended);
  },
});

export const holdOf = ({ id, attempt }: ClaimedTask): Hold => ({ id, attempt });

/** Makes a queue with one task of each status. */
export async function makeOfEach() {
  const queue = await makeQueue();
  const { db, add, claim } = queue;
  const [done, dead, cancelled, running] = await add({}, {}, {}, {});
  const claimed = (await claim()) as ClaimedTask[];
  const of = (id?: bigint) => holdOf(claimed.find((task) => task.id === id) as ClaimedTask);
  await db.transaction((tx) => finishDone(tx, [of(done)]));
  await db.transaction((tx) =>
    finishFailed(tx, [{ ...of(dead), error: 'no', pauseMs: undefined }]),
  );
  await cancelTask(db, cancelled as bigint);
  const [waiting] = await add({});
  return { ...queue, ids: { waiting, running, done, dead, cancelled } as Record<string, bigint> };
}

/**
 * Returns the kind `work`, whose attempts call `run`. A failed attempt is due again immediately.
 */
export const kindOf = (run: (attempt: RunningAttempt) => Promise<AttemptOutcome>) => ({
  name: 'work',
  timeoutMs: 60_000,
  pauseMs: () => 0,
  run,
});

export const done = async (): Promise<AttemptOutcome> => ({ kind: 'done' });

/**
 * Starts a worker in this process. It stops after the tests. `events` collects the worker's events.
 */
export async function makeWorker(
  db: Database,
  run: (attempt: RunningAttempt) => Promise<AttemptOutcome>,
  options: Partial<WorkerOptions> = {},
) {
  const { log, events: errors } = collectLog();
  const events: WorkerEvent[] = [];
  const worker = await startWorker({
    db,
    poller: new Poller(db),
    kinds: [kindOf(run)],
    places: 8,
    version: 'test',
    log,
    observe: (event) => void events.push(event),
    ...options,
  });
  atEnd(() => worker.stop(0));
  const ends = () => events.flatMap((event) => (event.kind === 'ended' ? [event.how] : []));
  return { worker, events, ends, errors };
}

/** Returns the promise `told`, and the function `tell` that resolves this promise. */
export function signal<T = void>() {
  let tell: (value: T) => void = () => undefined;
  const told = new Promise<T>((resolve) => {
    tell = resolve;
  });
  return { tell, told };
}
