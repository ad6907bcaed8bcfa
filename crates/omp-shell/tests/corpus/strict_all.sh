set -euo pipefail
d=$(mktemp -d)
trap 'rm -rf "$d"; echo cleaned' EXIT
echo data >"$d/f"
grep -c data "$d/f"
