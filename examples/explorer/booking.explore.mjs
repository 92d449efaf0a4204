import { and, eq, gt, lt } from 'drizzle-orm';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

// A booking without overlap, with Drizzle. Two guests want one room for nights that overlap.

const rooms = pgTable('rooms', { id: integer() });
const bookings = pgTable('bookings', { room: integer(), first: integer(), last: integer() });

/** Books room 1 from one night to another, unless somebody has one of these nights. */
async function book(url, first, last, locks) {
  const client = postgres(url, { max: 1 });
  try {
    return await drizzle(client).transaction(async (tx) => {
      // The lock: the rows of the bookings cannot be locked, because they are not there yet.
      if (locks) await tx.select().from(rooms).where(eq(rooms.id, 1)).for('update');
      const taken = await tx
        .select()
        .from(bookings)
        .where(and(eq(bookings.room, 1), lt(bookings.first, last), gt(bookings.last, first)));
      if (taken.length > 0) return 'taken';
      await tx.insert(bookings).values({ room: 1, first, last });
      return 'booked';
    });
  } finally {
    await client.end();
  }
}

const exploration = (name, locks) => ({
  name,
  setUp: (db) =>
    db.query(`create table rooms (id int primary key);
      create table bookings (room int references rooms, first int, last int);
      insert into rooms values (1)`),
  sessions: {
    ann: ({ url }) => book(url, 1, 5, locks),
    bob: ({ url }) => book(url, 3, 8, locks),
  },
  async holds(db, { ann, bob }) {
    const [{ nights }] = await db.query('select count(*)::int as nights from bookings');
    if (nights !== 1) throw new Error(`room 1 has ${nights} bookings for night 3`);
    if (ann.value === bob.value) throw new Error(`both guests were told "${ann.value}"`);
  },
});

export default [exploration('booking, wrong', false), exploration('booking, right', true)];
