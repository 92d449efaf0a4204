#!/usr/bin/env bash
# Runs the previous version's tests of claims on the schema of this version. During a rolling upgrade,
# servers of both versions use the new schema.
set -euo pipefail
help() {
  printf 'Runs the tests of claims of the version before on the schema of this version.\n\n'
  printf 'Usage: deploy/last-version.sh [--checkout FOLDER]\n\n'
  printf '  --checkout FOLDER  put the files of the version before there, and run nothing\n'
  printf '  --help             show this\n\n'
  printf 'The version before is the last tag. Without tags, it is the commit before the newest migration.\n'
}
folder=
case "${1:-}" in
  '') ;;
  --help) help; exit 0 ;;
  --checkout) folder="${2:?FOLDER is missing}" ;;
  *) echo "Unknown option '$1'. See: deploy/last-version.sh --help" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
project="$PWD"
before_newest_migration() {
  newest="$(git log -1 --format=%H -- drizzle/meta/_journal.json)"
  git rev-parse --verify -q "$newest^" || true
}
version="$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || before_newest_migration)"
if [ -z "$version" ]; then
  echo 'This clone has no earlier version. A shallow clone has none: git fetch --unshallow --tags' >&2
  exit 1
fi
checkout() {
  mkdir -p "$1"
  git archive "$version" | tar -x -C "$1"
  ln -s "$project/node_modules" "$1/node_modules"
}
if [ -n "$folder" ]; then
  checkout "$folder"
  exit 0
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
# If root runs this script, PostgreSQL runs as another user, who must be able to enter the folder.
chmod 755 "$folder"
checkout "$folder"
# The old migrator applies the new migrations in one transaction, where no index can be built concurrently.
# On the empty databases of tests, the result is the same.
rm -rf "$folder/drizzle"
cp -r drizzle "$folder/drizzle"
sed -i 's/ INDEX CONCURRENTLY/ INDEX/' "$folder"/drizzle/*.sql
echo "The tests of claims of $(git log -1 --format='%h %s' "$version") on this schema:"
cd "$folder"
# Older versions have these tests in other folders.
node_modules/.bin/vitest run test/claims/ test/service/claims/
