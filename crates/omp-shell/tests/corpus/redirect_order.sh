d=$(mktemp -d); { echo o; echo e >&2; } 2>&1 >$d/f | sed 's/^/piped /'; cat $d/f; rm -r $d
