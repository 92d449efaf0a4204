import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { explore } from '../../../../src/explorer/package/index.ts';
import type { Exploring, SessionOrder } from '../../../../src/explorer/package/types.ts';
import { buildProgram } from '../../../../src/platform/process/build.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { bank, inTransaction, transfer } from '../../../support/bank.ts';
import { makeTmpDir } from '../../../support/command.ts';

const MODULE = `import postgres from ${JSON.stringify(inProject('node_modules/postgres/src/index.js'))};
export default async ({ url }) => {
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    const [row] = await sql\`select balance from accounts where id = 1\`;
    await sql\`update accounts set balance = \${row.balance - 60} where id = 1\`;
  } finally {
    await sql.end();
  }
};
`;

let module: string;
beforeAll(async () => {
  await buildProgram('src/explorer/package/module-host.ts');
  module = path.join(makeTmpDir(), 'bank.mjs');
  writeFileSync(module, MODULE);
});

/** Explores with this number of lanes. The messages of the rule differ from schedule to schedule. */
async function exploreWith(lanes: number, session: SessionOrder, others: Partial<Exploring>) {
  const { milliseconds, ...found } = await explore(
    bank('', {
      name: `${lanes} lanes`,
      sessions: { ann: session, bob: session },
      lanes,
      holds: async (db) => {
        const rows = await db.query('select id, balance from accounts order by id');
        if (JSON.stringify(rows).includes('"balance":40')) throw new Error(JSON.stringify(rows));
      },
      ...others,
    }),
  );
  return { ...found, name: '', assertHolds: undefined };
}

test.each<[what: string, Partial<Exploring>]>([
  ['to the first broken order', {}],
  ['and counts', { counts: true }],
  ['and ends at a limit', { counts: true, most: { schedules: 7 } }],
  ['and lets a process die', { counts: true, crashes: 1, mayFail: true, most: { schedules: 40 } }],
])('two and three lanes find the same as one lane: functions, %s', async (_, others) => {
  const alone = await exploreWith(1, transfer(''), others);
  expect(alone.violation).toBeDefined();
  expect(await exploreWith(2, transfer(''), others)).toEqual(alone);
  expect(await exploreWith(3, transfer(''), others)).toEqual(alone);
});

test('two lanes find the same as one lane: modules', async () => {
  const order = { counts: true, most: { schedules: 30 } };
  const alone = await exploreWith(1, { module }, order);
  expect(alone.violations).toBeGreaterThan(1);
  expect(await exploreWith(2, { module }, order)).toEqual(alone);
});

test('a session that fails alone is refused in one line, also with two lanes', async () => {
  const fails = () => Promise.reject(new Error('no'));
  await expect(exploreWith(2, fails, {})).rejects.toThrow('ann fails even when it runs alone: no.');
});

test('each lane plays in a database of its own, and all are dropped', async () => {
  const names = new Set<string>();
  const holds: Exploring['holds'] = async (db) => {
    const [row] = await db.query<{ name: string }>('select current_database() as name');
    names.add(row?.name ?? '');
  };
  await exploreWith(3, transfer(''), { holds, most: { schedules: 12 } });
  expect(names.size).toBe(3);
  await inTransaction(inject('scratchUrl'), async (sql) => {
    const left = await sql`select datname from pg_database where datname in ${sql([...names])}`;
    expect(left).toEqual([]);
  });
});
