import postgres from 'postgres';
import { expect, test } from 'vitest';
import { Boards } from '../../../src/lab/classroom/boards.ts';
import type { Student } from '../../../src/lab/classroom/roll.ts';
import { collectLog } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

const { log } = collectLog();
const databaseUrl = await makeDatabase();
const sql = postgres(databaseUrl, { max: 1 });
atEnd(() => sql.end());

/** No other student of the test run has such a number. */
const student = (number: number): Student => ({
  ...{ number, name: 'Late', secret: String(number) },
  ...{ lesson: null, step: null, predictions: new Map() },
});
const left = () =>
  sql`select datname from pg_database where datname like '%\\_90000_'
      union all select rolname from pg_roles where rolname like '%\\_90000_'`;

test('boards that close make no further board, and leave nothing behind', async () => {
  const boards = new Boards(databaseUrl, log);
  await boards.ready();
  const early = boards.of(student(900_001));
  const closing = boards.close();
  expect(await boards.of(student(900_002))).toBeUndefined();
  expect(await early).toBeDefined();
  await closing;
  expect(await left()).toEqual([]);
});
