import { beforeAll, describe, expect, inject, test } from 'vitest';
import { runServer, start } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { type Begin, expectEnd, shellOf, untilListening } from '../../../support/starter.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

// test/campaigns/platform/process/starter.test.ts tests the other signals.
describe.concurrent('every process of npm start ends with npm', {
  tags: ['ps'],
}, () => {
  test.each<Begin>([
    ['its shell', 'SIGKILL', 'scripts/build-if-possible.mjs'],
    ['npm', 'SIGKILL', 'dist/server.js'],
  ])('if %s is ended by %s while %s begins', (...begin) => expectEnd(databaseUrl, ...begin));
});

test.concurrent('a race demo ends if npm is killed, even before the race begins', {
  tags: ['ps'],
}, async () => {
  const DATABASE_URL = inject('scratchUrl');
  const npm = start('npm', ['run', 'race-demo', '--', '--rounds', '5'], { DATABASE_URL });
  await shellOf(npm, 'scripts/race-demo.ts');
  npm.child.kill('SIGKILL');
  expect(await untilListening(npm, /recruiters claim one job/)).toBe('all have ended');
});

test.concurrent('a server that listens ends if npm is ended', async () => {
  const npm = start('npm', ['start'], { DATABASE_URL: databaseUrl, PORT: '0' });
  const [, url = ''] = await npm.says(/listens on (\S+)/);
  npm.child.kill('SIGTERM');
  await npm.says(/Stopped\./);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('an empty ROWLOCK_PARENT names no parent', async () => {
  const server = runServer({ DATABASE_URL: databaseUrl, ROWLOCK_PARENT: '' });
  expect(await untilListening(server, /listens on/)).toBe('it goes on');
});

test('a server of a benchmark or a fault run does not start after its parent has ended', async () => {
  const server = runServer({ DATABASE_URL: databaseUrl, ROWLOCK_PARENT: '1' });
  expect(await untilListening(server, /listens on/)).toBe('all have ended');
  expect((await server.ended).code).toBe(143);
});
