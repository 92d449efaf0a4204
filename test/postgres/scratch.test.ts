import postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStages } from '../../src/lab/stages/lab-stages.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded.ts';
import { dropLeftovers, openScratch } from '../../src/postgres/scratch.ts';
import { collectLog } from '../support/app.ts';
import { run } from '../support/command.ts';

// A server of its own: what is left on another would be counted with these.
let server: EmbeddedPostgres;
let sql: postgres.Sql;
beforeAll(async () => {
  server = await startEmbedded();
  sql = postgres(server.url, { max: 1, onnotice: () => undefined });
});
afterAll(async () => {
  await sql.end();
  await server.stop();
});

const databases = async (): Promise<string[]> =>
  (await sql`SELECT datname FROM pg_database WHERE datname ~ 'scratch' ORDER BY 1`).map(
    ({ datname }) => datname,
  );

/** A process with a scratch database, and that database's name. */
async function holdScratch() {
  const holder = run('test/support/hold-scratch.ts', [server.url]);
  const [, name = ''] = await holder.says(/name (.+)\n/);
  return { ...holder, name };
}

/** The scratch database of a killed process, with one beside it that begins with the same name. */
async function makeLeftover(): Promise<string[]> {
  const { child, ended, name } = await holdScratch();
  await sql`CREATE DATABASE ${sql(`${name}_bench`)}`;
  child.kill('SIGKILL');
  await ended;
  // PostgreSQL notices a little later.
  await vi.waitFor(async () => expect(await sessionsOf(name)).toEqual([]), { timeout: 20_000 });
  return [name, `${name}_bench`];
}

/** The processes of PostgreSQL that serve the owner of this database. */
const sessionsOf = async (name: string): Promise<number[]> =>
  (await sql`SELECT pid FROM pg_stat_activity WHERE application_name = ${name}`).map(
    ({ pid }) => pid,
  );

/** The lab of a server that starts with this account. */
function startLab(url: string) {
  const { log, events } = collectLog();
  return { events, ...openStages(url, log) };
}

test('a starting server drops the scratch databases of killed servers, and none of a living server', async () => {
  // Before the leftover, which it would drop.
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

test('the owner of a scratch database keeps the database when PostgreSQL restarts', async () => {
  const scratch = await openScratch(server.url);
  const name = new URL(scratch.url).pathname.slice(1);
  const before = await sessionsOf(name);
  await server.restart();
  await vi.waitFor(async () => expect(await sessionsOf(name)).toHaveLength(1), { timeout: 20_000 });
  expect(await sessionsOf(name)).not.toEqual(before);
  await dropLeftovers(server.url);
  expect(await databases()).toContain(name);
  await scratch.stop();
  expect(await databases()).not.toContain(name);
  await vi.waitFor(async () => expect(await sessionsOf(name)).toEqual([]), { timeout: 20_000 });
});

test('an account that may not drop leftovers is told so in one line, and works', async () => {
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
