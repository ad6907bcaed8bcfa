d=$(mktemp -d); for i in 1 2; do echo $i; done >$d/f 2>&1; cat $d/f; if true; then echo y; fi >>$d/f; tail -1 $d/f; rm -r $d
