import type { Database } from '../../../platform/db/client.ts';
import type { Strategy } from '../../chapter.ts';
import type { Etcd } from '../../stores/etcd.ts';

/** One way to work off a queue: ordinary Drizzle code that knows nothing of the lab. */
export interface QueueStrategy extends Strategy {
  /** `once`: each task is done once, even if a worker dies or is slow. */
  promise: 'once' | 'nothing';
  /**
   * Something in the strategy, such as a lease, ends when time passes. So the explorer also lets
   * time pass.
   */
  timed?: true;
  /** The strategy counts its attempts in the column `attempt`. */
  counts?: true;
  /** The tasks are in production's table `tasks`. */
  ofProduction?: true;
  /**
   * Starts a process, and returns its `work`. Only strategies that keep something in memory have
   * this function.
   */
  restart?(): QueueStrategy['work'];
  /**
   * All workers run in one process. The workers share the memory of the process, and die together.
   */
  oneProcess?: true;
  /** Claims a task, does it, and finishes it. */
  work(db: Database, worker: Worker): Promise<Outcome>;
}

export interface Worker {
  /** The sequence number of the worker. No two workers have the same number. */
  id: number;
  /** The name for people. Two workers may have the same name. */
  name: string;
  /**
   * Does the task, which is to send a mail. The mail server is outside the database, so no rollback
   * takes the mail back.
   */
  send(taskId: number, proof?: Proof): Promise<void>;
  /** A key-value store, outside the database. */
  etcd: Etcd;
}

/** The parts of a mail by which the mail server may drop or refuse the mail. */
export interface Proof {
  /** The server drops a mail if an earlier mail had the same id. */
  id?: number;
  /** The server refuses a mail if it has accepted a mail of the same task with a higher token. */
  token?: number;
}

export type Outcome =
  | { kind: 'done' }
  /** There was nothing to do. */
  | { kind: 'idle' }
  /** Another worker has the task now, so nothing was written. */
  | { kind: 'lost' }
  /** The limit on running tasks is reached, or no task is due. */
  | { kind: 'full' };
