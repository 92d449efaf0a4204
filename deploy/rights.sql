-- Gives the role of the servers and the workers its rights. Run this file with psql as the owner of the
-- database, in the database:
--   psql postgres://rowlock_owner@localhost/rowlock -f deploy/rights.sql
-- If roles.sql had another name for the role, add it: -v service=rowlock_test_user
-- Run this file before the first migration. The tables of later migrations then get the same rights by themselves.
-- You may run this file again, also on a database that has its tables already.
\set ON_ERROR_STOP on
\if :{?service} \else \set service rowlock_user \endif

-- The schema of the tables.
GRANT USAGE ON SCHEMA public TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :"service";
ALTER DEFAULT PRIVILEGES IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO :"service";

-- The list of applied migrations. A server reads this list, and never changes it.
CREATE SCHEMA IF NOT EXISTS drizzle;
GRANT USAGE ON SCHEMA drizzle TO :"service";
GRANT SELECT ON ALL TABLES IN SCHEMA drizzle TO :"service";
ALTER DEFAULT PRIVILEGES IN SCHEMA drizzle GRANT SELECT ON TABLES TO :"service";
