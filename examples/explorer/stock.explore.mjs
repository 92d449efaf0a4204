import { fileURLToPath } from 'node:url';

// A stock decrement, in Go. Two customers want the last piece. See stock/main.go.

const folder = fileURLToPath(new URL('stock', import.meta.url));

const exploration = (name, path) => ({
  name,
  setUp: (db) => db.query('create table stock (pieces int); insert into stock values (1)'),
  sessions: {
    ann: { server: `cd '${folder}' && go run .`, request: { method: 'POST', path } },
    bob: { server: `cd '${folder}' && go run .`, request: { method: 'POST', path } },
  },
  async holds(db, { ann, bob }) {
    const [{ pieces }] = await db.query('select pieces from stock');
    if (pieces !== 0) throw new Error(`one piece was sold, and ${pieces} are left`);
    const sold = [ann, bob].filter(({ value }) => value.status === 200).length;
    if (sold !== 1) throw new Error(`one piece was sold to ${sold} customers`);
  },
});

export default [
  exploration('stock, wrong', '/look-first'),
  exploration('stock, right', '/at-once'),
];
