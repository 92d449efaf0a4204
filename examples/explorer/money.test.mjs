import pg from 'pg';
import { explore } from 'rowlock-explorer';
import { expect, test } from 'vitest';

/** Sends 60 from account 1 to account 2. This is the code under test. */
async function transfer(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query('select balance from accounts where id = 1 for update');
    if (rows[0].balance < 60) throw new Error('too little money');
    await client.query('update accounts set balance = $1 where id = 1', [rows[0].balance - 60]);
    await client.query('update accounts set balance = balance + 60 where id = 2');
    await client.query('commit');
  } finally {
    await client.end();
  }
}

test('money is kept', async ({ signal }) => {
  const found = await explore({
    signal,
    setUp: (db) =>
      db.query(`create table accounts (id int primary key, balance int not null);
        insert into accounts values (1, 100), (2, 0)`),
    sessions: { ann: ({ url }) => transfer(url), bob: ({ url }) => transfer(url) },
    // There is money for one transfer, so the other session must fail.
    mayFail: true,
    async holds(db, { ann, bob }) {
      const [{ total }] = await db.query('select sum(balance)::int as total from accounts');
      expect(total).toBe(100);
      expect([ann.error, bob.error].filter(Boolean)).toHaveLength(1);
    },
  });
  found.assertHolds();
}, 120_000);
