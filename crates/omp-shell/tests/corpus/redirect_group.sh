d=$(mktemp -d); { echo a; echo b; } >$d/f; while read -r l; do echo "<$l>"; done <$d/f; ( echo c ) >$d/g; cat $d/g; rm -r $d
