import pg from 'pg';

// A transfer of money, with pg. Two people send 60 from the same account, which has 100.

/** Sends 60 from account 1 to account 2. `lock` is the end of the SELECT. */
async function transfer(url, lock) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(`select balance from accounts where id = 1 ${lock}`);
    if (rows[0].balance >= 60) {
      await client.query('update accounts set balance = $1 where id = 1', [rows[0].balance - 60]);
      await client.query('update accounts set balance = balance + 60 where id = 2');
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}

const exploration = (name, lock) => ({
  name,
  setUp: (db) =>
    db.query(`create table accounts (id int primary key, balance int not null);
      insert into accounts values (1, 100), (2, 0)`),
  sessions: { ann: ({ url }) => transfer(url, lock), bob: ({ url }) => transfer(url, lock) },
  async holds(db) {
    const [{ total }] = await db.query('select sum(balance)::int as total from accounts');
    if (total !== 100) throw new Error(`expected the total to be 100, and it is ${total}`);
  },
});

export default [
  exploration('transfer, wrong', ''),
  // The lock: the second session waits here, and then reads the new balance.
  exploration('transfer, right', 'for update'),
];
