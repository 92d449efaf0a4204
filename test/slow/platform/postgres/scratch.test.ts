import { expect, test, vi } from 'vitest';
import { openStages } from '../../../../src/lab/stages/lab-stages.ts';
import { openScratch } from '../../../../src/platform/postgres/scratch.ts';
import { collectLog } from '../../../support/app.ts';
import { run } from '../../../support/command.ts';
import { startScratchServer } from '../../../support/scratch.ts';

const { server, sql, databases, sessionsOf } = await startScratchServer();

/** Starts a process that keeps a scratch database. Returns the process and the database's name. */
async function holdScratch() {
  const holder = run('test/support/hold-scratch.ts', [server.url]);
  const [, name = ''] = await holder.says(/name (.+)\n/);
  return { ...holder, name };
}

/**
 * Leaves the scratch database of a killed process, and a second database. The name of the second
 * database begins with the name of the first.
 */
async function makeLeftover(): Promise<string[]> {
  const { child, ended, name } = await holdScratch();
  await sql`CREATE DATABASE ${sql(`${name}_bench`)}`;
  child.kill('SIGKILL');
  await ended;
  // PostgreSQL notices the end of the process a little later.
  await vi.waitFor(async () => expect(await sessionsOf(name)).toEqual([]), { timeout: 20_000 });
  return [name, `${name}_bench`];
}

/** Opens the lab's stages with the account in `url`. */
function startLab(url: string) {
  const { log, events } = collectLog();
  return { events, ...openStages(url, log) };
}

test('a starting server drops the scratch databases of killed servers, and keeps the databases of living servers', async () => {
  // Start the living process first. Its start would drop the leftover databases.
  const living = await holdScratch();
  const leftover = await makeLeftover();
  const alike = ['rowlock_scratch_of_mine', 'rowlock_scratch_owned_by_me', 'rowlock-scratch'];
  for (const name of alike) await sql`CREATE DATABASE ${sql(name)}`;
  expect(await databases()).toEqual(expect.arrayContaining([...leftover, living.name]));

  const lab = startLab(server.url);
  const remaining = [...alike, living.name].sort();
  await vi.waitFor(async () => expect(await databases()).toEqual(remaining), { timeout: 20_000 });
  await lab.close();
  expect(lab.events).toEqual([]);
  for (const name of alike) await sql`DROP DATABASE ${sql(name)}`;
});

test('an account without the right to drop leftovers gets one log line, and can use scratch databases', async () => {
  const leftover = await makeLeftover();
  await sql`CREATE ROLE scratch_guest LOGIN CREATEDB PASSWORD 'secret'`;
  const url = new URL(server.url);
  url.username = 'scratch_guest';
  url.password = 'secret';
  const lab = startLab(url.href);
  const event = 'scratch databases of killed processes could not be dropped';
  await vi.waitFor(() => expect(lab.events).toEqual([{ event, count: 2, error: '42501' }]), {
    timeout: 20_000,
  });
  const scratch = await openScratch(url.href);
  expect(await databases()).toEqual(
    expect.arrayContaining([...leftover, new URL(scratch.url).pathname.slice(1)]),
  );
  await scratch.stop();
  await lab.close();
});
