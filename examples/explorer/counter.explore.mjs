import knex from 'knex';

// A counter, with Knex. Two visitors are counted at the same time.

async function withKnex(url, count) {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  try {
    await count(db);
  } finally {
    await db.destroy();
  }
}

async function readThenWrite(db) {
  const { visits } = await db('pages').where({ id: 1 }).first();
  await db('pages')
    .where({ id: 1 })
    .update({ visits: visits + 1 });
}

/** PostgreSQL adds. The second UPDATE waits for the first one, and adds to its result. */
const increment = (db) => db('pages').where({ id: 1 }).increment('visits', 1);

const exploration = (name, count) => ({
  name,
  setUp: (db) =>
    db.query(
      'create table pages (id int primary key, visits int); insert into pages values (1, 0)',
    ),
  sessions: {
    ann: ({ url }) => withKnex(url, count),
    bob: ({ url }) => withKnex(url, count),
  },
  async holds(db) {
    const [{ visits }] = await db.query('select visits from pages');
    if (visits !== 2) throw new Error(`two visitors came, and ${visits} was counted`);
  },
});

export default [
  exploration('counter, wrong', readThenWrite),
  exploration('counter, right', increment),
];
