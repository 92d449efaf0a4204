import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Copies, NoCopy } from '../../../../src/platform/postgres/copies/copies.ts';
import { isRunning, parentOf, postmasterOf } from '../../../support/command.ts';
import { homeOf, inServer, makeCopies } from '../../../support/copies.ts';

const copies = makeCopies();

test('a killed guard leaves no server and no folder, and the next copy has a new guard', async () => {
  const copy = await copies.open();
  const home = await homeOf(copy);
  const all = path.dirname(home);
  const pids = readdirSync(all)
    .map((name) => path.join(all, name))
    .filter(isStarted)
    .map(postmasterOf);
  process.kill(parentOf(postmasterOf(home)), 'SIGKILL');
  await copy.end();
  await expect.poll(() => existsSync(path.dirname(all)), { timeout: 20_000 }).toBe(false);
  expect(pids.filter(isRunning)).toEqual([]);
  const next = await copies.open();
  expect(await inServer(next.url, (sql) => sql`select one from prepared`)).toEqual([{ one: 1 }]);
  await next.end();
});

const isStarted = (home: string) => existsSync(path.join(home, 'data/postmaster.pid'));

test('if the first server cannot start, each request for a copy fails with the reason', async () => {
  const failing = new Copies({ settings: ['no_such_setting = on'] }, async () => undefined);
  await expect(failing.open()).rejects.toThrow(NoCopy);
  await expect(failing.open()).rejects.toThrow(
    /did not start: configuration file .+ contains errors/,
  );
  await failing.close();
  await expect(failing.open()).rejects.toThrow('The servers are closed.');
});
