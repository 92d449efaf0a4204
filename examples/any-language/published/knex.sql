-- The state after Knex has made its two tables, and before a session has inserted the row of the lock.
create table knex_migrations (
  id serial primary key, name varchar(255), batch integer, migration_time timestamptz
);
create table knex_migrations_lock (index serial primary key, is_locked integer);
