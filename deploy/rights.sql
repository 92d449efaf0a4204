-- Gives rowlock_user its rights. Run this file as rowlock_owner in the database rowlock:
--   psql postgres://rowlock_owner@localhost/rowlock -f deploy/rights.sql
-- Run this file before the first migration. Later tables then get the same rights by themselves.
-- The file may be run again, also on a database that has its tables already.

-- The schema of the tables.
GRANT USAGE ON SCHEMA public TO rowlock_user;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO rowlock_user;
ALTER DEFAULT PRIVILEGES IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO rowlock_user;

-- The list of applied migrations. A server reads it, and never writes it.
CREATE SCHEMA IF NOT EXISTS drizzle;
GRANT USAGE ON SCHEMA drizzle TO rowlock_user;
GRANT SELECT ON ALL TABLES IN SCHEMA drizzle TO rowlock_user;
ALTER DEFAULT PRIVILEGES IN SCHEMA drizzle GRANT SELECT ON TABLES TO rowlock_user;
