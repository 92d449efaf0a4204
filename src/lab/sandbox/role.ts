import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { SUPERUSERS_PARAMETERS } from '../explore/stage.ts';

/**
 * A student's role lives as long as one run. So nothing that a student changes at the role, such as
 * its password or its settings, reaches the next run.
 */
export interface StudentsRole {
  name: string;
  password: string;
}

/**
 * The volatile functions that a student may call. PostgreSQL calls a function volatile if it does
 * more than compute a value. All other volatile functions are forbidden: they end sessions, send
 * notices, change settings, write large objects, take advisory locks, or sleep. Advisory locks fill
 * a table of locks that all databases of a server share.
 */
const HARMLESS = [
  'nextval',
  'setval',
  'currval',
  'lastval',
  'random',
  'random_normal',
  'setseed',
  'gen_random_uuid',
  'uuidv4',
  'uuidv7',
  'clock_timestamp',
  'timeofday',
  // The stage calls this function between two schedules.
  'pg_advisory_unlock_all',
];

/** Only a superuser may change these settings, so a student cannot. */
const SETTINGS = { ...SUPERUSERS_PARAMETERS, temp_file_limit: '16MB' };

/**
 * Closes an empty database for everybody, and then makes a role that may only make tables there.
 * Without languages there are no functions, no triggers and no DO. `owner` is connected to this
 * database as a superuser.
 */
export async function makeRole(owner: postgres.Sql, name: string): Promise<StudentsRole> {
  const password = randomBytes(24).toString('hex');
  const database = owner(name);
  const role = owner(name);
  await owner.begin(async (tx) => {
    await tx`revoke all on database ${database} from public`;
    await tx`revoke all on all tables in schema pg_catalog, information_schema from public`;
    await tx.unsafe(FORBID_FUNCTIONS);
    await tx.unsafe(FORBID_LANGUAGES);
    await tx`grant usage, create on schema public to public`;
    await tx.unsafe(
      `create role "${name}" login password '${password}' connection limit 8 nosuperuser
       nocreatedb nocreaterole noinherit noreplication nobypassrls`,
    );
    await tx`grant connect on database ${database} to ${role}`;
    for (const [setting, value] of Object.entries(SETTINGS))
      await tx.unsafe(`alter role "${name}" set ${setting} = '${value}'`);
  });
  return { name, password };
}

const FORBID_FUNCTIONS = `
  do $$ begin
    execute (
      select 'revoke execute on routine ' || string_agg(oid::regprocedure::text, ', ')
        || ' from public'
      from pg_proc
      where provolatile = 'v' and prokind in ('f', 'p')
        and proname <> all ('{${HARMLESS.join()}}'));
  end $$`;

const FORBID_LANGUAGES = `
  do $$ begin
    execute (
      select 'revoke usage on language ' || string_agg(quote_ident(lanname), ', ')
        || ' from public'
      from pg_language where lanpltrusted);
  end $$`;

/** From now on nobody can connect as this role. Its sessions go on. */
export const closeRole = (keeper: postgres.Sql, name: string) =>
  keeper`alter role ${keeper(name)} nologin`;

/** Drops a role after its database. */
export const dropRole = (keeper: postgres.Sql, name: string) =>
  keeper`drop role if exists ${keeper(name)}`;

/**
 * Drops the roles that killed processes have left. The role and the database of a run have the same
 * name. The database is made before the role, and dropped before the role.
 */
export async function dropRolesLeft(keeper: postgres.Sql) {
  const rows = await keeper<{ rolname: string }[]>`
    select rolname from pg_roles
    where starts_with(rolname, 'rowlock_scratch_')
      and not exists (select from pg_database where datname = rolname)`;
  // Two processes may drop the same role at once. Then one of them fails.
  for (const { rolname } of rows) await dropRole(keeper, rolname).catch(() => undefined);
}
