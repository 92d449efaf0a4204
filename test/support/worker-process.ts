import { sql } from 'drizzle-orm';
import { runSource } from './command.ts';
import type { makeQueue } from './queue.ts';

/** Starts a worker in a process of its own. Resolves when the worker looks for tasks. */
export async function startProcess(url: string, name: string) {
  const command = runSource('test/queue/worker-process.ts', [url, name]);
  await command.says(/ready/);
  return command;
}

/** The outcomes that the tasks have written. */
export const writtenBy = async ({ db }: Pick<Awaited<ReturnType<typeof makeQueue>>, 'db'>) =>
  (await db.execute(sql`select name from recruiters where name like 'written by %'`)).map(
    ({ name }) => name,
  );
