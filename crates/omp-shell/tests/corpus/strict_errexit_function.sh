set -e
f() { false; echo in; }
f || echo caught
f
echo never
