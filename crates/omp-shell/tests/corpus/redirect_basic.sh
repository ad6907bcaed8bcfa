d=$(mktemp -d); echo a >$d/f; echo b >>$d/f; cat <$d/f; cat $d/f | wc -l; rm -r $d
