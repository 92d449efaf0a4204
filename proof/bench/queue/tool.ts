/** The queues that the bench compares. */
export const toolNames = ['rowlock', 'graphile-worker', 'pg-boss'] as const;
export type ToolName = (typeof toolNames)[number];

/** A task of the bench. The task either ends without any work, or never ends. */
export interface Payload {
  /** The result of `now` when the task was made. */
  madeAt: number;
  hangs: boolean;
}

/** Runs a task. A task that hangs never resolves. */
export type Run = (payload: Payload) => Promise<void>;

/** A queue with the fastest settings that its documentation names. */
export interface Tool {
  /** Makes the tables of the tool in an empty database. */
  prepare(url: string): Promise<unknown>;
  /** Connects to a prepared database. The tool runs no tasks yet. */
  open(url: string): Promise<OpenTool>;
}

export interface OpenTool {
  /** Adds tasks in one transaction. Resolves after the commit. */
  add(payloads: Payload[]): Promise<void>;
  /** Begins to work. Resolves when the tool has begun to search for tasks. */
  work(run: Run): Promise<void>;
  /** Ends the work and closes the connections. */
  close(): Promise<void>;
}

/**
 * An order for a process of a tool.
 *
 * - `prepare` makes the tables.
 * - `open` connects to a database, and sets all counts to 0.
 * - `add` adds tasks in one transaction.
 * - `stream` begins to add tasks steadily, and answers immediately.
 * - `work` begins to work.
 * - `look` only asks for the `ToolReport`, which is the answer to every order.
 * - `measure` reports the pick-up times since the last `measure`.
 * - `close` ends the work and the connections.
 */
export type ToolOrder =
  | { kind: 'prepare' | 'open'; url: string }
  | { kind: 'add'; tasks: number; hangs?: boolean }
  | ({ kind: 'stream' } & Stream)
  | { kind: 'work' | 'look' | 'measure' | 'close' };

/** Tasks that come in steadily. */
export interface Stream {
  perSecond: number;
  seconds: number;
  /**
   * `one` adds the tasks one by one, with a random pause after each task. Adding a task takes time
   * too, so fewer than `perSecond` tasks come. `some` adds the tasks of 10 ms together.
   */
  each: 'one' | 'some';
}

/** The work that a process has done since it opened its database. */
export interface ToolReport {
  added: number;
  /** Whether a stream still adds tasks. */
  isAdding: boolean;
  /** The number of tasks that have begun. */
  begun: number;
  /** The result of `now` when the first task began. */
  firstAt: number | undefined;
  /**
   * The time from the making of a task to its beginning, in milliseconds. Only the answer to
   * `measure` has this field.
   */
  pickUp?: PickUp;
}

export interface PickUp {
  p50: number;
  p99: number;
}

/** Returns the milliseconds of the machine's steady clock. All processes read the same clock. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;
