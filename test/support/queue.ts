import { sql } from 'drizzle-orm';
import { type ConnectOptions, connect, type Database } from '../../src/db/client.ts';
import { type ClaimedTask, claimTasks, type Wanted } from '../../src/queue/claim.ts';
import { enqueue, type NewTask } from '../../src/queue/enqueue.ts';
import { finishDone, finishFailed } from '../../src/queue/finish.ts';
import type { Hold } from '../../src/queue/held.ts';
import { cancelTask } from '../../src/queue/intervene.ts';
import type { AttemptOutcome, Attempt as RunningAttempt } from '../../src/queue/kind.ts';
import { SESSIONS_OF_WORKER } from '../../src/queue/sessions.ts';
import {
  startWorker,
  type WorkerEvent,
  type WorkerOptions,
} from '../../src/queue/worker/worker.ts';
import { collectLog } from './app.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';

/** A database with a queue, and the acts that the tests of the queue need. */
export async function makeQueue(url?: string, options?: ConnectOptions) {
  const databaseUrl = url ?? (await makeDatabase());
  const { db, close } = connect(databaseUrl, { settings: SESSIONS_OF_WORKER, ...options });
  atEnd(close);
  return { url: databaseUrl, db, ...actsOn(db) };
}

const actsOn = (db: Database) => ({
  /** Adds tasks of the kind `work`, which is due at once in the empty lane. Returns the ids. */
  add: (...tasks: Partial<NewTask>[]) =>
    enqueue(
      db,
      tasks.map((task) => ({ kind: 'work', payload: {}, attempts: 3, ...task })),
    ),
  /** Claims tasks for worker 1. */
  claim: (wanted: Partial<Wanted> = {}): Promise<ClaimedTask[]> =>
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
  /** A row of the table, as the database has it. */
  async row(id: bigint | undefined) {
    const [row] = await db.execute(sql`select * from tasks where id = ${String(id)}`);
    return row as Record<string, unknown>;
  },
  /** How the past attempts of a task ended, in order. */
  async ends(id: bigint | undefined) {
    const rows = await db.execute(
      sql`select ended from task_attempts where task_id = ${String(id)} order by attempt`,
    );
    return rows.map(({ ended }) => ended);
  },
});

export const holdOf = ({ id, attempt }: ClaimedTask): Hold => ({ id, attempt });

/** A queue with one task of each status. */
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

/** The kind `work`, whose attempts do what `run` does. A failed attempt is due again at once. */
export const kindOf = (run: (attempt: RunningAttempt) => Promise<AttemptOutcome>) => ({
  name: 'work',
  timeoutMs: 60_000,
  pauseMs: () => 0,
  run,
});

export const done = async (): Promise<AttemptOutcome> => ({ kind: 'done' });

/** A worker of this process. It stops after the tests. `events` collects what its observer was told. */
export async function makeWorker(
  db: Database,
  run: (attempt: RunningAttempt) => Promise<AttemptOutcome>,
  options: Partial<WorkerOptions> = {},
) {
  const { log, events: errors } = collectLog();
  const events: WorkerEvent[] = [];
  const worker = await startWorker({
    db,
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

/** A promise, and the functions that settle it. */
export function signal<T = void>() {
  let tell: (value: T) => void = () => undefined;
  const told = new Promise<T>((resolve) => {
    tell = resolve;
  });
  return { tell, told };
}
