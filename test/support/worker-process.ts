import { sql } from 'drizzle-orm';
import { runSource } from './command.ts';
import type { makeQueue } from './queue.ts';

/** Starts a worker in a separate process. Resolves when the worker is ready for tasks. */
export async function startProcess(url: string, name: string) {
  const command = runSource('test/service/queue/worker-process.ts', [url, name]);
  await command.says(/ready/);
  return command;
}

/** Returns the outcomes that the tasks have written. */
export const writtenBy = async ({ db }: Pick<Awaited<ReturnType<typeof makeQueue>>, 'db'>) =>
  (await db.execute(sql`select name from recruiters where name like 'written by %'`)).map(
    ({ name }) => name,
  );
