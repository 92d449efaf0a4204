import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { inject } from 'vitest';
import { inProject } from '../../src/process/project.ts';
import { atEnd } from './command.ts';

/** An account with this name and the password `secret`, in another database of the same server. */
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

/**
 * Does what `deploy/roles.sql` and `deploy/rights.sql` do, with new names. Drops the database and
 * the roles after the tests.
 */
export async function makeLeastRights(server = serverOfRun()) {
  const suffix = randomBytes(6).toString('hex');
  const named = (name: string) =>
    readFileSync(inProject(`deploy/${name}`), 'utf8')
      .replaceAll(/\browlock_(owner|user)\b/g, `rowlock_$1_${suffix}`)
      .replaceAll(/\bDATABASE rowlock\b/g, `DATABASE rowlock_${suffix}`);
  const [owner, user, database] = ['owner_', 'user_', ''].map((each) => `rowlock_${each}${suffix}`);
  const admin = Object.assign(new URL(server), { pathname: 'postgres' }).href;
  atEnd(() =>
    runEach(
      admin,
      `DROP DATABASE IF EXISTS ${database} WITH (FORCE);
       DROP ROLE IF EXISTS ${user};
       DROP ROLE IF EXISTS ${owner};`,
    ),
  );
  await runEach(admin, named('roles.sql'));
  await runEach(
    admin,
    `ALTER ROLE ${owner} PASSWORD 'secret'; ALTER ROLE ${user} PASSWORD 'secret';`,
  );
  const ownerUrl = as(owner ?? '', database ?? '', 'secret', server);
  await runEach(ownerUrl, named('rights.sql'));
  return {
    owner,
    user,
    adminUrl: Object.assign(new URL(server), { pathname: database }).href,
    ownerUrl,
    userUrl: as(user ?? '', database ?? '', 'secret', server),
  };
}
