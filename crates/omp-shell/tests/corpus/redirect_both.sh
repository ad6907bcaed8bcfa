d=$(mktemp -d); { echo o; echo e >&2; } &>$d/f; sort $d/f; { echo p; echo q >&2; } >>$d/f 2>&1; sort $d/f; rm -r $d
