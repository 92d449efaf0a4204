import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { inject } from 'vitest';
import { inProject } from '../../src/platform/process/project.ts';
import { atEnd } from './command.ts';

/** Returns the address of a database for an account with this name, on the same server. */
const as = (username: string, pathname: string, password = 'secret', server = serverOfRun()) =>
  Object.assign(new URL(server), { username, password, pathname }).href;

const serverOfRun = () => inject('scratchUrl');

/** Runs each statement of a text alone, since some statements refuse a transaction. */
async function runEach(url: string, text: string) {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    for (const each of text.replaceAll(/^--.*$/gm, '').split(/;\s*$/m))
      if (each.trim() !== '') await sql.unsafe(each);
  } finally {
    await sql.end();
  }
}

/** The variables of the files of `deploy/`, which psql gets by its option `-v`. */
type Names = Record<'database' | 'owner' | 'service', string>;

/**
 * Returns the statements of a file of `deploy/`, with these values of its variables, in two texts:
 * before and after `\connect`. We do not run psql, because the embedded PostgreSQL has none.
 * test/slow/deploy/roles.test.ts runs psql.
 */
function statementsOf(file: string, names: Names): string[] {
  const text = readFileSync(inProject(`deploy/${file}`), 'utf8');
  const named = text.replaceAll(/:"(\w+)"/g, (_, name: keyof Names) => `"${names[name]}"`);
  return named.split('\\connect :database').map((each) => each.replaceAll(/^\\.*$/gm, ''));
}

/**
 * Does what `deploy/roles.sql` and `deploy/rights.sql` do, with new names. Drops the database and
 * the roles after the tests.
 */
export async function makeLeastRights(server = serverOfRun()) {
  const suffix = randomBytes(6).toString('hex');
  const owner = `rowlock_owner_${suffix}`;
  const user = `rowlock_user_${suffix}`;
  const database = `rowlock_${suffix}`;
  const names = { database, owner, service: user };
  const admin = Object.assign(new URL(server), { pathname: 'postgres' }).href;
  const adminUrl = Object.assign(new URL(server), { pathname: database }).href;
  atEnd(() =>
    runEach(
      admin,
      `DROP DATABASE IF EXISTS ${database} WITH (FORCE);
       DROP ROLE IF EXISTS ${user};
       DROP ROLE IF EXISTS ${owner};`,
    ),
  );
  const [onServer = '', inDatabase = ''] = statementsOf('roles.sql', names);
  await runEach(admin, onServer);
  await runEach(adminUrl, inDatabase);
  await runEach(
    admin,
    `ALTER ROLE ${owner} PASSWORD 'secret'; ALTER ROLE ${user} PASSWORD 'secret';`,
  );
  const ownerUrl = as(owner, database, 'secret', server);
  await runEach(ownerUrl, statementsOf('rights.sql', names).join());
  return {
    owner,
    user,
    adminUrl,
    ownerUrl,
    userUrl: as(user, database, 'secret', server),
  };
}
