#!/usr/bin/env bash
# Makes the certificates for the tests anew. The key of the authority is thrown away.
set -euo pipefail
cd "$(dirname "$0")/certificates"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

# sign FILE CN EXTENSION START END OPTIONS...: signs a request. OPTIONS name the signing key.
sign() {
  local file="$1" name="$2" extension="$3" from="$4" to="$5"
  shift 5
  rm -rf "$work/db"
  mkdir "$work/db"
  touch "$work/db/index.txt"
  printf '[c]\ndatabase=%s/index.txt\nrand_serial=yes\nnew_certs_dir=%s\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' \
    "$work/db" "$work/db" >"$work/ca.cnf"
  echo "$extension" >"$work/extension"
  openssl req -new -key "$work/subject.key" -subj "/CN=$name" -out "$work/request"
  openssl ca -batch -notext -config "$work/ca.cnf" -name c -in "$work/request" \
    -extfile "$work/extension" -startdate "$from" -enddate "$to" -out "$file" "$@"
}

key "$work/authority.key"
cp "$work/authority.key" "$work/subject.key"
sign authority.pem "Authority of the tests" basicConstraints=critical,CA:TRUE \
  20200101000000Z 21200101000000Z -selfsign -keyfile "$work/authority.key"

key server-key.pem
cp server-key.pem "$work/subject.key"
by_authority=(-cert authority.pem -keyfile "$work/authority.key")
sign localhost.pem localhost subjectAltName=DNS:localhost 20200101000000Z 21200101000000Z "${by_authority[@]}"
sign other-name.pem other.example subjectAltName=DNS:other.example 20200101000000Z 21200101000000Z "${by_authority[@]}"
sign expired.pem localhost subjectAltName=DNS:localhost 20200101000000Z 20210101000000Z "${by_authority[@]}"
sign self-signed.pem localhost subjectAltName=DNS:localhost 20200101000000Z 21200101000000Z -selfsign -keyfile server-key.pem
