#!/usr/bin/env bash
# The image of PostgreSQL runs this file once, on a new database. It makes the two roles and their rights.
set -euo pipefail
# psql reads the password from its input, so no list of processes shows the password.
set_password() {
  printf "ALTER ROLE %s PASSWORD '%s';\n" "$1" "$(sed "s/'/''/g" "$2")" | psql -q -v ON_ERROR_STOP=1 -U postgres -d postgres
}
psql -q -v ON_ERROR_STOP=1 -U postgres -d postgres -f "${ROWLOCK_SQL:-/rowlock}/roles.sql"
set_password rowlock_owner "${ROWLOCK_SECRETS:-/run/secrets}/owner_password"
set_password rowlock_user "${ROWLOCK_SECRETS:-/run/secrets}/user_password"
psql -q -v ON_ERROR_STOP=1 -U postgres -d rowlock -c 'SET ROLE rowlock_owner' -f "${ROWLOCK_SQL:-/rowlock}/rights.sql"
