import { beforeAll, describe, test } from 'vitest';
import { TOO_LARGE } from '../../../src/lab/sandbox/watch.ts';
import { makeHostile } from '../../support/hostile-student.ts';

let student: Awaited<ReturnType<typeof makeHostile>>;
// The guard process of the servers finds `prlimit` only on the PATH that it got at its start.
beforeAll(async () => {
  student = await makeHostile();
});
const superuser = 'rowlock';
/** The only database of the student's own server. */
const database = 'postgres';

// test/slow/lab/sandbox/hostile.test.ts has more attempts, which take long. run.test.ts has a cheap
// attempt for each limit that they test.
/** The expected end of each attempt, and its statements. An end is often an SQLSTATE code. */
const ATTEMPTS: Record<string, [end: string, ...texts: string[]]> = {
  'reads a table of production': ['42P01', 'select * from jobs'],
  'names another database': ['0A000', `select * from rowlock.public.jobs`],
  'makes a tunnel to another database': ['42501', 'create extension dblink'],
  'makes a trusted extension': ['42501', 'create extension hstore'],
  'makes a foreign server': ['42501', 'create foreign data wrapper w'],
  'subscribes to another database': [
    '42501',
    `create subscription s connection 'dbname=${database}' publication p with (connect = false)`,
  ],
  'publishes its changes': ['42501', 'create publication p'],
  'becomes the superuser': ['42501', `set role "${superuser}"`],
  'becomes the superuser by a function': [
    '42501',
    `select set_config('role', '${superuser}', false)`,
  ],
  'becomes another session user': ['42501', `set session authorization "${superuser}"`],
  'resets its role': [
    '42501',
    'reset role',
    'reset session authorization',
    'select * from pg_catalog.pg_authid',
  ],
  'makes itself a superuser': ['42501', 'alter role current_user superuser'],
  'lets itself log in again': ['42501', 'alter role current_user login'],
  'joins the superuser': ['42501', `grant "${superuser}" to current_user`],
  'makes a role': ['42501', 'create role helper login'],
  'changes the password of the superuser': ['42501', `alter role "${superuser}" password 'x'`],
  'makes a database': ['42501', 'create database mine'],
  'drops its database': ['42501', `drop database "${database}"`],
  'renames its database': ['42501', `alter database "${database}" rename to mine`],
  'keeps a setting for its role': [
    'harmless',
    'alter role current_user set search_path = evil',
    `alter role current_user set statement_timeout = 0`,
  ],
  'keeps a setting for everybody': ['42501', `alter system set statement_timeout = '1ms'`],
  'changes the settings of its database': [
    '42501',
    `alter database "${database}" set statement_timeout = '1ms'`,
  ],
  'turns off the checks of keys': ['42501', 'set session_replication_role = replica'],
  'lifts its limit of temporary files': ['42501', 'set temp_file_limit = -1'],
  'reads a file': ['42501', `select pg_read_file('/etc/passwd')`],
  'reads a file through XML': [
    '42501',
    `select query_to_xml('select pg_read_file(''/etc/passwd'')', true, true, '')`,
  ],
  'lists a directory': ['42501', `select pg_ls_dir('.')`],
  'copies from a file': ['42501', 'create table t (a text)', `copy t from '/etc/passwd'`],
  'copies to a file': ['42501', `copy (select 1) to '/tmp/rowlock-sandbox'`],
  'runs a program': ['42501', `copy (select 1) to program 'id'`],
  'imports a file as a large object': ['42501', `select lo_import('/etc/passwd')`],
  'makes large objects': ['42501', 'select lo_create(0) from generate_series(1, 10000)'],
  'loads a library': ['42501', `load '/tmp/evil.so'`],
  'writes a function': [
    '42501',
    `create function f() returns int language sql security definer as 'select 1'`,
  ],
  'writes a function in plpgsql': [
    '42501',
    `create function f() returns trigger language plpgsql as 'begin return null; end'`,
  ],
  'runs a block': ['42501', `do 'begin loop end loop; end'`],
  'makes an event trigger': [
    '42501',
    'create event trigger e on ddl_command_start execute function suppress_redundant_updates_trigger()',
  ],
  'hides a function of PostgreSQL': [
    '42501',
    'create view pg_catalog.pg_stat_activity as select 1',
  ],
  'makes a schema of the lab': ['42501', 'create schema lab_time'],
  'makes a temporary table': ['42501', 'create temp table t (a int)'],
  'puts a file into another directory': ['42501', `create tablespace t location '/tmp'`],
  'takes over the tables of others': ['42501', `reassign owned by "${superuser}" to current_user`],
  'changes the default rights of others': [
    '42501',
    `alter default privileges for role "${superuser}" grant all on tables to public`,
  ],
  'ends the sessions of others': ['42501', 'select pg_terminate_backend(1)'],
  'cancels the statements of others': ['42501', 'select pg_cancel_backend(1)'],
  'sees the sessions of others': ['42501', 'select * from pg_stat_activity'],
  'sees the sessions of others by a function': [
    '42501',
    'select * from pg_stat_get_activity(null)',
  ],
  'sees the databases of others': ['42501', 'select * from pg_database'],
  'changes settings through a view': [
    '42501',
    `update pg_settings set setting = 'x' where name = 'search_path'`,
  ],
  'fills the table of locks': [
    '42501',
    'select pg_advisory_lock(g) from generate_series(1, 100000) g',
  ],
  'locks a catalog': ['42501', 'begin', 'lock table pg_catalog.pg_class in access exclusive mode'],
  'sends notices by a function': ['42501', `select pg_notify('rowlock', 'x')`],
  'listens for notices': ['harmless', 'listen rowlock', 'notify rowlock'],
  'writes to the log of changes': [
    '42501',
    `select pg_logical_emit_message(false, 'x', repeat('x', 1000)) from generate_series(1, 100000)`,
  ],
  'exports a snapshot': ['42501', 'begin', 'select pg_export_snapshot()'],
  'prepares a transaction': ['55000', 'begin', 'create table u (a int)', `prepare transaction 'x'`],
  'keeps a cursor': ['harmless', 'declare c cursor with hold for select generate_series(1, 10)'],
  'sends two statements in one text': ['42601', 'select 1; select 2'],
  'forces a checkpoint': ['42501', 'checkpoint'],
  sleeps: ['42501', 'select pg_sleep(3600)'],
  'recurses for ever': [
    '53400',
    `with recursive n as (select repeat('x', 1000) as a union all select a from n) select count(*) from n`,
  ],
  'writes temporary files': [
    '53400',
    `with t as materialized (select repeat('x', 1000) as x from generate_series(1, 100000))
      select count(x) from t`,
  ],
  'recurses too deeply': ['54001', `select repeat('[', 1000000)::json`],
};

/** The attempts that the limit of memory ends. The operating system enforces this limit. */
const GREEDY: typeof ATTEMPTS = {
  'makes a huge string': ['53200', `select length(repeat('x', 900000000))`],
  'makes a huge array': ['53200', 'select cardinality(array_fill(1, array[100000000]))'],
  'gathers huge strings': [
    '53200',
    `select length(string_agg(repeat(repeat('x', 1000), 1000), '')) from generate_series(1, 900)`,
  ],
  'uses all memory, and then its stack': [
    '53200',
    'set work_mem = 2000000',
    `select count(x), count(y) from (
      select repeat(repeat('x', 1000), 5000 + g) as x,
        (repeat('[', 4000) || g || repeat(']', 4000))::jsonb as y
      from generate_series(1, 100) as g order by random()) as a`,
  ],
  'answers too much at once': [
    TOO_LARGE,
    `select repeat('x', 1000) from generate_series(1, 1000000)`,
  ],
};

test.each(Object.entries(ATTEMPTS))('a student who %s harms nobody', (_, [end, ...texts]) =>
  student.expectEnd(end, texts),
);

describe('with a limit of memory', { tags: ['prlimit'] }, () => {
  test.each(Object.entries(GREEDY))('a student who %s harms nobody', (_, [end, ...texts]) =>
    student.expectEnd(end, texts),
  );
});

test('the servers of all attempts leave nothing, and the next student notices nothing', async () => {
  await student.expectNothingLeft();
});
