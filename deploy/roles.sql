-- Makes two roles and a database. Run this file once, as a superuser:
--   psql -d postgres -f deploy/roles.sql
-- The roles have no password yet. Set the passwords in psql: \password rowlock_owner

-- The owner of the database. Only npm run migrate needs this role.
CREATE ROLE rowlock_owner LOGIN;

-- The role of the servers and the workers. It reads and writes rows, and changes no table.
CREATE ROLE rowlock_user LOGIN;

CREATE DATABASE rowlock OWNER rowlock_owner;

-- By default, every role may connect to every database, and may make temporary tables there.
REVOKE ALL ON DATABASE rowlock FROM PUBLIC;
GRANT CONNECT ON DATABASE rowlock TO rowlock_user;
