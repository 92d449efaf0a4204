#!/usr/bin/env bash
# Makes the passwords of compose.yaml in deploy/secrets/, once. A second run changes no file.
set -euo pipefail
case "${1:-}" in
  --help)
    printf 'Makes the passwords of compose.yaml in deploy/secrets/.\n\nUsage: deploy/secrets.sh [FOLDER]\n'
    exit 0
    ;;
  -*) echo "Unknown option '$1'. See: deploy/secrets.sh --help" >&2; exit 2 ;;
esac
folder="${1:-$(dirname "$0")/secrets}"
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"
secret() {
  # The users in the containers must read these files. On this machine, the folder keeps other users out.
  [ -s "$1" ] || head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$1"
  chmod 644 "$1"
}
for name in postgres_password owner_password user_password metrics_token grafana_password jwt_secret; do
  secret "$name"
done
address() { echo "DATABASE_URL=postgres://$1:$(cat "$2")@database:5432/rowlock"; }
[ -s owner.env ] || address rowlock_owner owner_password > owner.env
[ -s user.env ] || {
  address rowlock_user user_password
  echo MIGRATE=off
  echo "AUTH_JWT_SECRET=$(cat jwt_secret)"
  echo "METRICS_TOKEN=$(cat metrics_token)"
} > user.env
chmod 600 owner.env user.env
