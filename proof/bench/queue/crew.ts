import { PlainError } from '../../../src/platform/process/errors.ts';
import { until } from '../../../src/platform/waiting/until.ts';
import type { Arena } from '../arena.ts';
import type { ToolProcess } from '../processes.ts';
import { withConnection } from '../seed.ts';
import type { Peers } from './peers.ts';
import type { ToolName, ToolOrder, ToolReport } from './tool.ts';

/** The tables of a tool, as parts of SQL statements. */
interface Tables {
  tasks: string;
  /** All tables that tasks fill. */
  all: string;
  /** A condition for the tasks whose acknowledgement is not committed. */
  unfinished: string;
}

const TABLES: Record<ToolName, Tables> = {
  rowlock: { tasks: 'tasks', all: 'tasks, task_attempts', unfinished: 'finished_at IS NULL' },
  // graphile-worker deletes a task that is done.
  'graphile-worker': {
    tasks: 'graphile_worker._private_jobs',
    all: 'graphile_worker._private_jobs',
    unfinished: 'true',
  },
  'pg-boss': { tasks: 'pgboss.job', all: 'pgboss.job', unfinished: "state < 'completed'" },
};

/** The time between two checks of a tool's progress. */
const LOOK_MS = 10;
/** The maximum wait. Most waits take a few seconds, but the recovery takes half a minute. */
const PATIENCE_MS = 120_000;

/** A tool with a separate database and some processes. */
export class Crew {
  readonly name: ToolName;
  readonly processes: ToolProcess[];
  readonly url: string;

  private constructor(name: ToolName, url: string, processes: ToolProcess[]) {
    this.name = name;
    this.url = url;
    this.processes = processes;
  }

  /** Makes the tables of the tool in a new database, and starts its processes. */
  static async open(
    arena: Pick<Arena, 'makeEmptyDatabase' | 'startTool'>,
    peers: Peers,
    name: ToolName,
    count: number,
    database = name.replaceAll('-', '_'),
  ): Promise<Crew> {
    const url = await arena.makeEmptyDatabase(database);
    const processes: ToolProcess[] = [];
    while (processes.length < count) processes.push(await arena.startTool(name, peers));
    const crew = new Crew(name, url, processes);
    await crew.first.ask({ kind: 'prepare', url });
    return crew;
  }

  get first(): ToolProcess {
    return this.processes[0] as ToolProcess;
  }

  /** Removes all tasks and their dead rows, and writes all changed pages to the disk. */
  clear(): Promise<void> {
    return withConnection(this.url, async (sql) => {
      await sql.unsafe(`TRUNCATE ${TABLES[this.name].all}`);
      await sql`CHECKPOINT`;
    });
  }

  stop() {
    for (const each of this.processes) each.stop();
  }

  /** Waits until the acknowledgements of all tasks are committed. */
  async acknowledged(): Promise<void> {
    const { tasks, unfinished } = TABLES[this.name];
    const isLeft = `SELECT EXISTS (SELECT FROM ${tasks} WHERE ${unfinished}) AS "isLeft"`;
    await withConnection(this.url, (sql) =>
      this.expectSoon(async () => !(await sql.unsafe(isLeft))[0]?.isLeft, 'acknowledge all tasks'),
    );
  }

  /** Waits until the condition holds. Throws a `PlainError` if the wait takes too long. */
  async expectSoon(isSo: () => Promise<boolean>, what: string): Promise<void> {
    if (!(await until(isSo, { everyMs: LOOK_MS, withinMs: PATIENCE_MS })))
      throw new PlainError(`${this.name} did not ${what} within ${PATIENCE_MS / 1000} s.`);
  }

  /** Returns the size of the database in MB. */
  size(): Promise<number> {
    return withConnection(this.url, async (sql) => {
      const [row] = await sql<
        { bytes: string }[]
      >`SELECT pg_database_size(current_database()) AS bytes`;
      return Number(row?.bytes) / 2 ** 20;
    });
  }

  /** Runs work while a transaction of another session keeps its snapshot. */
  whileTransactionIsOpen<T>(work: () => Promise<T>): Promise<T> {
    return withConnection(
      this.url,
      (sql) =>
        sql.begin('ISOLATION LEVEL REPEATABLE READ', async (tx) => {
          // The transaction has an id and a snapshot now. So PostgreSQL removes no dead rows.
          await tx`SELECT pg_current_xact_id()`;
          return work();
        }) as Promise<T>,
    );
  }
}

/** Gives the same order to several processes at the same time. */
export const askAll = (processes: ToolProcess[], order: ToolOrder): Promise<ToolReport[]> =>
  Promise.all(processes.map((each) => each.ask(order)));

/** Returns the sum of a count over several processes. */
export const total = (count: 'added' | 'begun', reports: ToolReport[]): number =>
  reports.reduce((sum, report) => sum + report[count], 0);
