d=$(mktemp -d); { echo bg >$d/f; } & wait; cat $d/f; rm -r $d
