import postgres from 'postgres';
import { expect, inject } from 'vitest';
import type { Db, Exploring, SessionFunction } from '../../src/explorer/package/types.ts';

/** Runs a transaction at an address, as an ordinary program does. */
export async function inTransaction(
  url: string,
  work: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<unknown> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    return await sql.begin(work);
  } finally {
    await sql.end();
  }
}

/** Sends 60 from account 1 to account 2. Reads the balance with this lock, or without a lock. */
export const transfer =
  (lock: '' | 'for update'): SessionFunction =>
  ({ url }) =>
    inTransaction(url, async (tx) => {
      const [row] = await tx.unsafe(`select balance from accounts where id = 1 ${lock}`);
      if (row?.balance < 60) return 'refused';
      await tx`update accounts set balance = ${row?.balance - 60} where id = 1`;
      await tx`update accounts set balance = balance + 60 where id = 2`;
      return 'sent';
    });

export const totalOf = async (db: Db): Promise<number> => {
  const [row] = await db.query<{ total: number }>('select sum(balance)::int total from accounts');
  return row?.total ?? 0;
};

/** Two transfers of 60 from an account with 100. Each file that uses them needs its own `name`. */
export const bank = (
  lock: '' | 'for update',
  others: Partial<Exploring> = {},
): Exploring<string> => ({
  database: inject('scratchUrl'),
  setUp: (db) =>
    db.query(`create table accounts (id int primary key, balance int not null);
      insert into accounts values (1, 100), (2, 0)`),
  sessions: { ann: transfer(lock), bob: transfer(lock) },
  async holds(db) {
    const total = await totalOf(db);
    if (total !== 100) throw new Error(`expected ${total} to be 100`);
  },
  keeps: false,
  ...others,
});

/** Returns the message of the error that the work throws. */
export const messageOf = (work: () => void): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return expect.fail('it did not throw');
};
