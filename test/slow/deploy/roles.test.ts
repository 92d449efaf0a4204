/**
 * Tests of the SQL files that give the least rights, on the PostgreSQL of a Linux distribution.
 * docs/operations.md explains these files.
 */
import postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { inProject } from '../../../src/platform/process/project.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import { makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { type Home, makeCluster, makeHome, startCluster } from '../../support/debian-postgres.ts';

let home: Home;
let server: string;

/**
 * Returns the address of a database for a role. The roles have the same password as the superuser.
 */
const as = (username: string, pathname: string) =>
  Object.assign(new URL(server), { username, pathname }).href;

const open = (url: string) => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  atEnd(() => sql.end());
  return sql;
};

/** Runs a file of `deploy/` with psql. `names` are the values of the variables in the file. */
const psql = (url: string, file: string, names: Record<string, string> = {}) =>
  home.run('psql', [
    ...['-q', '-d', url],
    ...Object.entries(names).flatMap(([name, value]) => ['-v', `${name}=${value}`]),
    ...['-f', inProject(`deploy/${file}`)],
  ]);

interface Environment {
  database: string;
  owner: string;
  service: string;
}

/**
 * Makes an environment as docs/operations.md says: with two files and the migrations. psql gets
 * only the given `names`. For the other names, it uses the defaults in the files.
 */
async function makeEnvironment(
  { database, owner, service }: Environment,
  names: Partial<Environment>,
) {
  await psql(as('postgres', 'postgres'), 'roles.sql', names);
  const admin = open(as('postgres', 'postgres'));
  for (const role of [owner, service])
    await admin`ALTER ROLE ${admin(role)} PASSWORD 'secret'`.simple();
  await psql(as(owner, database), 'rights.sql', names.service ? { service: names.service } : {});
  await prepareDatabase(as(owner, database), { demoData: true });
}

describe('two environments on one server', { tags: ['postgresql'] }, () => {
  const first = { database: 'rowlock', owner: 'rowlock_owner', service: 'rowlock_user' };
  const second = { database: 'rowlock-test', owner: "Ada's owner", service: 'rowlock_test_user' };

  beforeAll(async () => {
    home = makeHome();
    await makeCluster(home);
    ({ url: server } = await startCluster(home));
    // A server that was upgraded from PostgreSQL 14 has these rights on the schema `public`. Each
    // new database gets a copy of `template1`.
    const template = open(as('postgres', 'template1'));
    await template`ALTER SCHEMA public OWNER TO postgres`;
    await template`GRANT ALL ON SCHEMA public TO PUBLIC`;
    await template.end();
    await makeEnvironment(first, {});
    await makeEnvironment(second, second);
  });

  test.each([first, second])('$database works with the least rights', async (environment) => {
    const url = as(environment.service, environment.database);
    const sql = open(url);
    for (const forbidden of [
      ...['CREATE TABLE x ()', 'CREATE TEMP TABLE x ()', 'CREATE SCHEMA x'],
      ...['SELECT lo_create(0)', 'DELETE FROM drizzle.__drizzle_migrations'],
    ])
      await expect(sql.unsafe(forbidden), forbidden).rejects.toMatchObject({ code: '42501' });
    const { claim, events } = await makeApp({ url });
    const statuses = [];
    for (const recruiter of [1, 2, 3, 4, 5]) statuses.push((await claim(1, recruiter)).status);
    expect([statuses, events]).toEqual([[200, 200, 200, 200, 403], []]);
  });

  test.each([
    [first, second],
    [second, first],
  ])('the roles of $database cannot connect to the other database', async (one, other) => {
    for (const role of [one.owner, one.service])
      await expect(open(as(role, other.database))`SELECT`).rejects.toMatchObject({ code: '42501' });
  });

  test('a second run of roles.sql with the same names stops at the first role, because this role exists', async () => {
    await expect(psql(as('postgres', 'postgres'), 'roles.sql')).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/role "rowlock_owner" already exists\n$/),
    });
  });
});
