import { and, asc, count, gt, max } from 'drizzle-orm';
import type { Database } from '../../../platform/db/client.ts';
import { type Page, paged } from '../../http/schemas.ts';
import { hasStatus, isRare, listTasks, type TaskFilter } from '../../queue/queries.ts';
import { tasks } from '../../queue/tables.ts';

/**
 * The maximum number of tasks to examine for one page if the filter has a kind. There is no maximum
 * if the status is rare. No index has the kind, so a search for a rare kind would read the whole
 * table.
 */
const MOST_EXAMINED = 5_000;

/**
 * Returns a page of tasks, and the cursor for the next page. If the filter has a kind, a page may
 * have fewer tasks than `limit` although another page follows.
 */
export async function pageOfTasks(db: Database, filter: TaskFilter, page: Page) {
  const { cursor = 0n, limit } = page;
  const beyond = { cursor, limit: limit + 1 };
  if (filter.kind === undefined || isRare(filter.status))
    return paged(await listTasks(db, filter, beyond), page);
  const { last, examined } = await lookAhead(db, filter, cursor);
  const found = paged(await listTasks(db, { ...filter, last }, beyond), page);
  if (found.nextCursor !== null || examined < MOST_EXAMINED) return found;
  return { ...found, nextCursor: String(last) };
}

/**
 * Reads the next tasks with this status, of any kind. Returns how many tasks it read, and the id of
 * the last of these tasks. If there is no such task, returns the cursor as the id.
 */
async function lookAhead(db: Database, { status }: TaskFilter, cursor: bigint) {
  const ahead = db
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(gt(tasks.id, cursor), status && hasStatus[status]))
    .orderBy(asc(tasks.id))
    .limit(MOST_EXAMINED)
    .as('ahead');
  const [row] = await db.select({ last: max(ahead.id), examined: count() }).from(ahead);
  return { last: row?.last ?? cursor, examined: row?.examined ?? 0 };
}
