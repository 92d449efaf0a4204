import { readFileSync } from 'node:fs';
import type postgres from 'postgres';

/** Linux counts processor time in hundredths of a second. */
const TICK_US = 10_000;

/** Returns the processor time of a process in microseconds, and 0 if the process has ended. */
function processorUs(pid: number): number {
  try {
    // The name in parentheses may itself contain spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_US;
  } catch {
    return 0;
  }
}

/**
 * Returns the processor time of PostgreSQL's processes in microseconds, without the processes that
 * have ended. The result is 0 if PostgreSQL runs on another machine, or without /proc.
 */
export async function postgresUs(sql: postgres.Sql): Promise<number> {
  const rows = await sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`;
  return rows.reduce((sum, { pid }) => sum + processorUs(pid), 0);
}
