#!/usr/bin/env bash
# Plays the specs of a folder with PostgreSQL's isolationtester. PGHOST, PGPORT and PGUSER name the server.
set -euo pipefail

if [ "$#" != 1 ] || [ "$1" = --help ]; then
  echo "Usage: docs/run-isolationtester.sh FOLDER
Plays each FOLDER/NAME.spec in a new database, and writes FOLDER/NAME.out. Drops the database.
The account must be a superuser's. ISOLATIONTESTER_PATH names the program, if it is not on the PATH."
  [ "${1:-}" = --help ] && exit 0 || exit 2
fi
tester="${ISOLATIONTESTER_PATH:-isolationtester}"
database="rowlock_isolation_$$"
createdb "$database"
trap 'dropdb "$database"' EXIT
psql -q -v ON_ERROR_STOP=1 -d "$database" -f "$1/schema.sql"
for spec in "$1"/*.spec; do
  "$tester" "dbname=$database" <"$spec" >"${spec%.spec}.out"
  echo "${spec%.spec}.out: $(grep -c '^starting permutation' "${spec%.spec}.out") permutations"
done
