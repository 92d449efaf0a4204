import { existsSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';

/** Linux counts processor time in hundredths of a second. */
const TICK_US = 10_000;

/** The processor time of the processes of a PostgreSQL in microseconds, by process id. */
export type ProcessorTimes = Map<number, number>;

/**
 * Reads the processor time of each process of a PostgreSQL. Returns undefined if the processes do not
 * run on this machine, or without /proc.
 */
export async function readProcessorTimes(sql: postgres.Sql): Promise<ProcessorTimes | undefined> {
  const rows = await sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity`;
  const times = new Map<number, number>();
  for (const { pid } of rows) {
    const file = `/proc/${pid}/stat`;
    if (!existsSync(file)) continue;
    const [name, fields = ''] = readFileSync(file, 'utf8').split(') ');
    if (!name?.includes('(postgres')) continue;
    const [user, system] = fields.split(' ').slice(11, 13);
    times.set(pid, (Number(user) + Number(system)) * TICK_US);
  }
  return times.size > 0 ? times : undefined;
}

/** Returns the processor time between two readings. Leaves out processes that have ended. */
export const timeBetween = (before: ProcessorTimes, after: ProcessorTimes): number =>
  [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
