import { beforeAll, expect, test } from 'vitest';
import { type Command, runServer } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

// test/slow/process/starter.test.ts ends npm and its shell while a program begins.
const untilListening = (server: Command): Promise<string> =>
  server.says(/listens on/).then(
    () => 'it goes on',
    () => 'it has ended',
  );

test.concurrent('an empty ROWLOCK_PARENT names no parent', async () => {
  const server = runServer({ DATABASE_URL: databaseUrl, ROWLOCK_PARENT: '' });
  expect(await untilListening(server)).toBe('it goes on');
});

test.concurrent('a server of the bench or the faults does not start after its parent has ended', async () => {
  const server = runServer({ DATABASE_URL: databaseUrl, ROWLOCK_PARENT: '1' });
  expect(await untilListening(server)).toBe('it has ended');
  expect((await server.ended).code).toBe(143);
});
