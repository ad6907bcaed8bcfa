#!/bin/sh
# Installs a release for this user: tools/install.sh ADDRESS VERSION [DIRECTORY]
# ADDRESS is where the files of a release are (…/releases/download/vVERSION); DIRECTORY is ~/.local/bin if not given.
# The archive is checked against its checksum before anything is installed.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 <address> <version> [<directory>]" >&2; exit 2; }
address=$1 version=$2 directory=${3:-$HOME/.local/bin}
[ "$(uname -s)" = Linux ] || { echo "error: there are releases for Linux only; build from source: see README.md" >&2; exit 1; }
case $(uname -m) in
  x86_64) target=x86_64-unknown-linux-gnu ;;
  aarch64 | arm64) target=aarch64-unknown-linux-gnu ;;
  *) echo "error: there is no release for $(uname -m); build from source: see README.md" >&2; exit 1 ;;
esac
name=omp-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for file in "$name.tar.gz" "$name.tar.gz.sha256"; do
  curl --fail --silent --show-error --location --output "$file" "$address/$file"
done
sha256sum --check --quiet "$name.tar.gz.sha256"
tar -xzf "$name.tar.gz"
mkdir -p "$directory"
# Beside it first: a running omp keeps its old file.
cp "$name/omp" "$directory/.omp.new"
chmod 755 "$directory/.omp.new"
mv "$directory/.omp.new" "$directory/omp"
echo "Installed omp $version to $directory/omp"
case ":$PATH:" in *":$directory:"*) ;; *) echo "Add $directory to PATH to run it" ;; esac
