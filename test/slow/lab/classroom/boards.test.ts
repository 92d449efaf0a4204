import postgres from 'postgres';
import { expect, test } from 'vitest';
import { Boards } from '../../../../src/lab/classroom/boards.ts';
import { openRoom } from '../../../../src/lab/classroom/room.ts';
import { classroomPages } from '../../../../src/pages/http.ts';
import { collectLog } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { aStudent, visitorsOf } from '../../../support/room.ts';

const { log } = collectLog();

test('two rooms on one PostgreSQL server share no code, student or board', async () => {
  const databaseUrl = await makeDatabase();
  const open = async () => {
    const room = await openRoom({
      databaseUrl,
      host: '127.0.0.1',
      port: 0,
      log,
      makePages: classroomPages,
    });
    atEnd(() => room.stop());
    return { room, ...visitorsOf(room) };
  };
  const [one, two] = await Promise.all([open(), open()]);
  const [ada, eve] = [await one.join('Ada'), await two.join('Eve')];
  expect(one.room.code).not.toBe(two.room.code);
  const asked = { code: one.room.code, name: 'Ada' };
  expect((await two.stranger.call('POST', '/join', asked)).status).toBe(403);
  const stolen = { Cookie: ada.cookie };
  expect((await two.stranger.call('GET', '/jobs', undefined, stolen)).status).toBe(401);
  const key = { Authorization: `Bearer ${one.room.secret}` };
  const spied = await two.stranger.call('GET', '/teacher/classroom', undefined, key);
  expect(spied.status).toBe(403);
  const claimed = await ada.call('POST', '/jobs/1/claims', { recruiterId: 1 });
  expect(claimed.status).toBe(201);
  expect((await eve.call('GET', '/jobs/1')).body).toMatchObject({ claimed: 0 });
  await one.room.stop();
  expect((await eve.call('POST', '/jobs/1/claims', { recruiterId: 1 })).status).toBe(201);
});

test('after the boards have begun to close, no board is made, and no database or role is left', async () => {
  const databaseUrl = await makeDatabase();
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  // No other student of the test run has a number from 900,000 to 900,009.
  const left = () =>
    sql`select datname from pg_database where datname like '%\\_90000_'
      union all select rolname from pg_roles where rolname like '%\\_90000_'`;
  const boards = new Boards(databaseUrl, log);
  await boards.ready();
  const early = boards.of(aStudent(900_001));
  const closing = boards.close();
  expect(await boards.of(aStudent(900_002))).toBeUndefined();
  expect(await early).toBeDefined();
  await closing;
  expect(await left()).toEqual([]);
});
