import type postgres from 'postgres';
import { SUPERUSERS_PARAMETERS } from '../../explorer/stage.ts';
import { changed } from '../../platform/db/hosts.ts';
import { oneConnection } from '../../platform/db/one-connection.ts';

/** The name of the student's role. Each run has a separate server, so all runs use this name. */
export const STUDENT = 'student';

/**
 * The volatile functions that a student may call. PostgreSQL calls a function volatile if it does
 * more than compute a value. All other volatile functions are forbidden, apart from advisory locks on
 * the server of a lesson: they end sessions, send
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

/** The rights of the student's role that differ between servers. */
interface Rights {
  /**
   * Whether the student may make tables. Otherwise the student may write rows of the tables that
   * the server has, and take advisory locks.
   */
  mayMake: boolean;
}

/**
 * Prepares the first server. Each run gets a copy of this server. `url` is the address of its
 * superuser. Databases that nobody needs are dropped, since each copy would contain them. The
 * superuser and the student share the only database, because a second database would double the
 * files and the time of a copy.
 */
export async function prepareServer(url: string, password: string, rights: Rights) {
  const keeper = oneConnection(url, {});
  try {
    await keeper`update pg_database set datistemplate = false`;
    for (const name of ['template0', 'template1']) await keeper`drop database ${keeper(name)}`;
    await keeper.begin(async (tx) => {
      await makeRole(tx, password);
      await (rights.mayMake ? letMake(tx) : letWrite(tx));
    });
  } finally {
    await keeper.end({ timeout: 5 });
  }
}

/** Returns the address with the name and the password of the student's role. */
export const urlOfStudent = (url: string, password: string): string =>
  changed(url, (each) => {
    each.username = STUDENT;
    each.password = password;
  });

/**
 * Takes all rights on a database from everybody, and then makes a role that may only connect. The
 * role may not use any language. So it cannot make functions or triggers, and cannot run DO.
 */
async function makeRole(tx: postgres.TransactionSql, password: string) {
  const role = tx(STUDENT);
  const [here] = await tx`select current_database() as name`;
  const database = tx(here?.name);
  await tx`revoke all on database ${database} from public`;
  await tx`revoke all on all tables in schema pg_catalog, information_schema from public`;
  await tx`revoke all on schema public from public`;
  await tx.unsafe(FORBID_FUNCTIONS);
  await tx.unsafe(FORBID_LANGUAGES);
  await tx.unsafe(
    `create role ${STUDENT} login password '${password}' connection limit 10 nosuperuser
     nocreatedb nocreaterole noinherit noreplication nobypassrls`,
  );
  await tx`grant connect on database ${database} to ${role}`;
  for (const [setting, value] of Object.entries(SETTINGS))
    await tx.unsafe(`alter role ${STUDENT} set ${setting} = '${value}'`);
}

/**
 * Lets the student make tables. The search path of the superuser is then only `pg_catalog`, because
 * a student can make nothing there.
 */
async function letMake(tx: postgres.TransactionSql) {
  const [here] = await tx`select current_user as keeper`;
  await tx`alter role ${tx(here?.keeper)} set search_path = pg_catalog`;
  await tx`grant usage, create on schema public to ${tx(STUDENT)}`;
}

/**
 * Lets the student write rows of the lab's tables, and read the lab's clock. Advisory locks may fill
 * the server's table of locks. That harms only this run.
 */
async function letWrite(tx: postgres.TransactionSql) {
  await tx.unsafe(`
    do $$
    declare
      ground text;
    begin
      for ground in
        select nspname from pg_namespace where nspname = 'public' or starts_with(nspname, 'lab_')
      loop
        execute format('grant usage on schema %I to ${STUDENT}', ground);
        execute format(
          'grant select, insert, update, delete on all tables in schema %I to ${STUDENT}', ground);
        execute format('grant usage, select on all sequences in schema %I to ${STUDENT}', ground);
      end loop;
      -- The lab's clock is only read. The list of finishes is the lab's own.
      revoke usage on all sequences in schema lab_time from ${STUDENT};
      revoke update, delete on lab_queue.finishes from ${STUDENT};
      execute (
        select 'grant execute on function ' || string_agg(oid::regprocedure::text, ', ')
          || ' to ${STUDENT}'
        from pg_proc where proname ~ '^pg_(try_)?advisory_' and prokind = 'f');
    end $$`);
}

const FORBID_FUNCTIONS = `
  do $$ begin
    execute (
      select 'revoke execute on routine ' || string_agg(oid::regprocedure::text, ', ')
        || ' from public'
      from pg_proc
      where (provolatile = 'v' or starts_with(proname, 'pg_stat_get_')) and prokind in ('f', 'p')
        and proname <> all ('{${HARMLESS.join()}}'));
  end $$`;

const FORBID_LANGUAGES = `
  do $$ begin
    execute (
      select 'revoke usage on language ' || string_agg(quote_ident(lanname), ', ')
        || ' from public'
      from pg_language where lanpltrusted);
  end $$`;

/** Prevents new sessions of the student's role. Open sessions go on. */
export const CLOSE_ROLE = `alter role ${STUDENT} nologin`;
