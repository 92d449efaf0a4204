import { expect, test } from 'vitest';
import { Boards } from '../../../src/lab/classroom/boards.ts';
import { collectLog } from '../../support/app.ts';
import { aStudent } from '../../support/room.ts';

// test/slow/lab/classroom/boards.test.ts shows that no database or role is left.
test('boards that have closed make no new board, even if their database is gone', async () => {
  const boards = new Boards('postgres://127.0.0.1:1/gone', collectLog().log);
  await boards.close();
  expect(await boards.of(aStudent(1))).toBeUndefined();
});
