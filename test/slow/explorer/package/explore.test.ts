import { expect, inject, test } from 'vitest';
import { explore, type RuleBroken } from '../../../../src/explorer/package/index.ts';
import type { Db } from '../../../../src/explorer/package/types.ts';
import { bank, inTransaction, messageOf, totalOf } from '../../../support/bank.ts';
import { atEnd } from '../../../support/command.ts';

test('a session that dies leaves no half transfer', async () => {
  const found = await explore(bank('for update', { name: 'crash', crashes: 1 }));
  found.assertHolds();
  const without = await explore(
    bank('', {
      name: 'crash without a transaction',
      crashes: 1,
      sessions: { ann: twoStatements(1), bob: twoStatements(3) },
    }),
  );
  expect(without.violation?.rule).toBe('expected 40 to be 100');
  expect(without.violation?.transcript).toContain('the process of ann dies');
});

/** Sends 60 from account 1 in two transactions. Session 3 only reads. */
const twoStatements =
  (from: number) =>
  async ({ url }: { url: string }) => {
    await inTransaction(
      url,
      (tx) => tx`update accounts set balance = balance - 60 where id = ${from}`,
    );
    if (from !== 1) return;
    await inTransaction(url, (tx) => tx`update accounts set balance = balance + 60 where id = 2`);
  };

test('time passes for SQL if it may', async () => {
  const takes = ({ url }: { url: string }) =>
    inTransaction(url, async (tx) => {
      const [taken] = await tx`update leases set until = now() + interval '1 hour'
        where until < now() returning id`;
      return taken ? 'mine' : 'not mine';
    });
  const order = bank('', {
    setUp: (db) =>
      db.query(`create table leases (id int, until timestamptz);
        insert into leases values (1, '2000-01-01')`),
    sessions: { ann: takes, bob: takes },
    holds: (_, { ann, bob }) => !(ann?.value === 'mine' && bob?.value === 'mine'),
  });
  const still = await explore({ ...order, name: 'still' });
  expect([still.isComplete, still.violation]).toEqual([true, undefined]);
  const later = await explore({ ...order, name: 'later', time: true });
  expect(later.violation?.rule).toBe('holds returned false');
  expect(later.violation?.transcript).toContain('two days pass');
});

test('a lost answer to COMMIT breaks no rule by itself, and a retry works on a new connection', async () => {
  const order = bank('for update', { name: 'lost answer', lostAnswers: 1 });
  const found = await explore(order);
  expect([found.isComplete, found.violation]).toEqual([true, undefined]);
  const twice = ({ url }: { url: string }) => deposit(url).catch(() => deposit(url));
  const again = await explore({
    ...order,
    name: 'again',
    sessions: { ann: twice, bob: twice },
    holds: async (db) => expect(await totalOf(db)).toBe(120),
  });
  // A deposit whose answer was lost is made twice.
  expect(again.violation?.rule).toMatch(/^expected 130 to be 120/);
  expect(again.violation?.transcript).toContain('but its answer is lost');
});

const deposit = (url: string) =>
  inTransaction(url, (tx) => tx`update accounts set balance = balance + 10 where id = 1`);

test('a type that setUp makes may be used by holds in each schedule', async () => {
  const found = await explore(
    bank('for update', {
      name: 'types',
      setUp: (db) =>
        db.query(`create table accounts (id int primary key, balance int not null);
          insert into accounts values (1, 100), (2, 0);
          create type mood as enum ('good', 'bad'); create table moods (mood mood)`),
      holds: async (db) => {
        await db.query('insert into moods values ($1)', ['good']);
        return (await db.query('select from moods where mood = $1', ['good'])).length === 1;
      },
    }),
  );
  expect([found.isComplete, found.violation]).toEqual([true, undefined]);
});

test('holds gets arrays as arrays, and may send arrays', async () => {
  const rows: unknown[] = [];
  const found = await explore(
    bank('for update', {
      name: 'arrays',
      most: { schedules: 1 },
      setUp: (db) =>
        db.query(`create table accounts (id int primary key, balance int not null);
          insert into accounts values (1, 100), (2, 0);
          create type mood as enum ('good', 'so so');
          create table things (words text[], counts int[], moods mood[], grid int[], flags bool[]);
          insert into things values ('[0:2]={a,NULL,"b,\\"c\\""}', '{1,2}', '{so so}', '{{1,2},{3,4}}', '{}')`),
      holds: async (db) => {
        rows.push(...(await db.query('select * from things')));
        const sent = [['a', 'b"\\', null], [[1], [2]], ['so so']];
        rows.push(
          ...(await db.query('select $1::text[] as w, $2::int[] as g, $3::mood[] as m', sent)),
        );
      },
    }),
  );
  expect(found.schedules).toBe(1);
  expect(rows).toEqual([
    {
      ...{ words: ['a', null, 'b,"c"'], counts: [1, 2], moods: ['so so'] },
      ...{
        grid: [
          [1, 2],
          [3, 4],
        ],
        flags: [],
      },
    },
    { w: ['a', 'b"\\', null], g: [[1], [2]], m: ['so so'] },
  ]);
});

test('setUp may have nothing to do', async () => {
  const sessions = { ann: selects, bob: selects };
  const setUp = (db: Db) => db.query('-- no tables');
  const found = await explore(bank('', { name: 'nothing', setUp, sessions, holds: () => true }));
  expect(found.isComplete).toBe(true);
});

const selects = ({ url }: { url: string }) => inTransaction(url, (tx) => tx`select 1`);

test('any answer can be shown, even a bigint and an object that contains itself', async () => {
  const own: { self?: unknown } = {};
  own.self = own;
  const answers =
    (answer: unknown) =>
    ({ url }: { url: string }) =>
      inTransaction(url, (tx) => tx`select 1`).then(() => answer);
  const sessions = { ann: answers({ balance: 1n }), bob: answers(own) };
  const found = await explore(bank('', { name: 'odd', sessions, holds: () => false }));
  expect(found.violation?.transcript).toContain('= {"balance":"1"} (step');
  expect(found.violation?.transcript).toContain('= an object of Object (step');
});

test('an account that may only create databases finds the same', async () => {
  const admin = new URL(inject('scratchUrl'));
  const role = `explorer_test_${process.pid}`;
  await inTransaction(admin.href, (tx) =>
    tx.unsafe(`create role ${role} login createdb password 'explorer'`),
  );
  atEnd(() => inTransaction(inject('scratchUrl'), (tx) => tx.unsafe(`drop role ${role}`)));
  admin.username = role;
  admin.password = 'explorer';
  const found = await explore(bank('', { name: 'poor', database: admin.href }));
  expect(found.violation?.schedule).toBe('1,2,2,2,2,1,1,1');
  expect(found.remarks.join()).toContain('each wait takes 1.2 s');
});

test('the error has the values of the failed assertion', async () => {
  const found = await explore(
    bank('', { name: 'values', holds: async (db) => expect(await totalOf(db)).toBe(100) }),
  );
  let thrown: RuleBroken | undefined;
  try {
    found.assertHolds();
  } catch (error) {
    thrown = error as RuleBroken;
  }
  expect(thrown).toMatchObject({ name: 'RuleBroken', expected: 100, actual: 160 });
});

test('the rule may check the answers of the sessions', async () => {
  const seen = new Set<string>();
  const found = await explore(
    bank('for update', {
      name: 'answers',
      holds: (_, { ann, bob }) => void seen.add(`${ann?.value} ${bob?.value}`),
    }),
  );
  expect([found.isComplete, [...seen].sort()]).toEqual([true, ['refused sent', 'sent refused']]);
});

const failing = ({ url }: { url: string }) =>
  inTransaction(url, async (tx) => {
    const rows = await tx`select from accounts where balance < 100`;
    if (rows.length > 0) throw new Error('somebody was here');
    await tx`update accounts set balance = 50 where id = 1`;
  });

test('a session that throws breaks the rule, unless it may fail', async () => {
  const sessions = { ann: failing, bob: failing };
  const setUp = (db: { query(text: string): unknown }) =>
    db.query('create table accounts (id int, balance int); insert into accounts values (1, 100)');
  const order = { ...bank('', { setUp, holds: () => true }), sessions };
  const found = await explore({ ...order, name: 'fails' });
  expect(found.violation?.rule).toBe('bob fails: somebody was here');
  expect(found.violation?.isNoRace).toBe(true);
  expect(messageOf(() => found.assertHolds())).toContain('This is no race');
  const allowed = await explore({ ...order, name: 'may fail', mayFail: true });
  expect([allowed.isComplete, allowed.violation]).toEqual([true, undefined]);
});
