#!/usr/bin/env bash
# Builds PostgreSQL's isolationtester from the source package of Debian or Ubuntu. No package has the program.
# The script installs nothing and needs no root. It takes about a minute.
set -euo pipefail

if [ "$#" != 1 ] || [ "$1" = --help ]; then
  echo "Usage: docs/build-isolationtester.sh FOLDER
Builds isolationtester, and writes it to FOLDER/isolationtester.
PACKAGE names the source package (default: the newest postgresql-NN that apt-cache knows)."
  [ "${1:-}" = --help ] && exit 0 || exit 2
fi
for program in apt-get dpkg-source gcc make perl; do
  command -v "$program" >/dev/null || {
    echo "$program is missing. On Debian: apt-get install build-essential dpkg-dev" >&2
    exit 1
  }
done
newest() { apt-cache pkgnames postgresql- | grep -xE 'postgresql-[0-9]+' | sort -V | tail -1; }
package="${PACKAGE:-$(newest)}"
mkdir -p "$1"
folder="$(cd "$1" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

# The lists of a machine often lack source packages. Lists of our own leave the machine as it is.
. /etc/os-release
keyring="/usr/share/keyrings/$ID-archive-keyring.gpg"
mirror="$([ "$ID" = ubuntu ] && echo http://archive.ubuntu.com/ubuntu || echo http://deb.debian.org/debian)"
echo "deb-src [signed-by=$keyring] $mirror $VERSION_CODENAME main" >sources.list
mkdir -p lists/partial
apt=(apt-get -q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=)
"${apt[@]}" update
"${apt[@]}" source "$package"
cd "$package"-*/

# The tester needs libpq alone. It finds libpq by the prefix, so nothing is installed.
./configure --quiet --prefix="$folder" --without-readline --without-zlib --without-icu
make -s -C src/backend generated-headers
make -s -C src/test/isolation isolationtester
mkdir -p "$folder/lib"
cp src/interfaces/libpq/libpq.so.5 "$folder/lib"
cp src/test/isolation/isolationtester "$folder"
"$folder/isolationtester" -V
