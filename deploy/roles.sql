-- Makes two roles and a database. Run this file once, with psql as a superuser:
--   psql -d postgres -f deploy/roles.sql
-- A second environment on the same server needs names of its own:
--   psql -d postgres -v database=rowlock_test -v owner=rowlock_test_owner -v service=rowlock_test_user -f deploy/roles.sql
-- The roles have no password yet. Set the passwords in psql: \password rowlock_owner
\set ON_ERROR_STOP on
\if :{?database} \else \set database rowlock \endif
\if :{?owner} \else \set owner rowlock_owner \endif
\if :{?service} \else \set service rowlock_user \endif

-- The owner of the database. Only npm run migrate and rights.sql need this role.
CREATE ROLE :"owner" LOGIN;

-- The role of the servers and the workers. It reads and writes rows, and changes no table.
CREATE ROLE :"service" LOGIN;

CREATE DATABASE :"database" OWNER :"owner";

-- By default, every role may connect to every database, and may make temporary tables there.
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO :"service";

\connect :database

-- In PostgreSQL 14, and on servers that were upgraded from it, every role may make tables in this schema.
ALTER SCHEMA public OWNER TO pg_database_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- By default, every role may make large objects. Large objects take room on the disk, and belong to no table.
REVOKE EXECUTE ON FUNCTION
  lo_close(integer), lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea),
  lo_get(oid), lo_get(oid, bigint, integer), lo_lseek(integer, integer, integer),
  lo_lseek64(integer, bigint, integer), lo_open(oid, integer), lo_put(oid, bigint, bytea),
  lo_tell(integer), lo_tell64(integer), lo_truncate(integer, integer), lo_truncate64(integer, bigint),
  lo_unlink(oid), loread(integer, integer), lowrite(integer, bytea)
  FROM PUBLIC;
