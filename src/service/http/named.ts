import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../platform/db/client.ts';
import type { companies, recruiters } from '../database/schema.ts';
import { idBody, type Page, paged } from './schemas.ts';
import { matches, wordsOf } from './search.ts';

/** The table of companies or of recruiters. The service knows only their names. */
type Table = typeof companies | typeof recruiters;
export type Named = Table['$inferSelect'];

export async function insertNamed(
  db: Database | Transaction,
  table: Table,
  values: { name: string },
): Promise<Named> {
  const [row] = await db.insert(table).values(values).returning();
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return row;
}

export async function findNamed(
  db: Database,
  table: Table,
  id: bigint,
): Promise<Named | undefined> {
  const [row] = await db.select().from(table).where(eq(table.id, id));
  return row;
}

/**
 * Lists a page of companies or recruiters, in the order of their ids. With `q`, lists only matching
 * names. Each word of `q` must be the beginning of a word in the name.
 */
export async function listNamed(
  db: Database,
  table: Table,
  page: Page & { q?: string[] | undefined },
) {
  const { q, cursor = 0n, limit } = page;
  const found = q && matches(wordsOf(sql`${table.name}`), q);
  const rows = await db
    .select()
    .from(table)
    .where(and(gt(table.id, cursor), found))
    .orderBy(asc(table.id))
    .limit(limit + 1);
  return paged(rows, page);
}

export const namedBody = ({ id, name, createdAt }: Named) => ({
  id: idBody(id),
  name,
  createdAt: createdAt.toISOString(),
});
