import { fileURLToPath } from 'node:url';

// A unique name, in Python with psycopg. Two people want the name "ada". See username.py.

const program = fileURLToPath(new URL('username.py', import.meta.url));

const exploration = (name, way) => ({
  name,
  setUp: (db) => db.query('create table people (name text)'),
  sessions: {
    ann: { command: `python3 '${program}' ${way}` },
    bob: { command: `python3 '${program}' ${way}` },
  },
  async holds(db, { ann, bob }) {
    const [{ people }] = await db.query('select count(*)::int as people from people');
    if (people !== 1) throw new Error(`${people} people have the name "ada"`);
    if (ann.value === bob.value) throw new Error(`both people were told "${ann.value}"`);
  },
});

export default [
  exploration('username, wrong', 'look'),
  {
    ...exploration('username, right', 'insert'),
    setUp: (db) => db.query('create table people (name text unique)'),
  },
];
