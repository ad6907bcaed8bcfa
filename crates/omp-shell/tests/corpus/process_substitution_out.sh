d=$(mktemp -d); echo hi > >(cat >$d/f); while [ ! -s $d/f ]; do sleep 0.01; done; cat $d/f; rm -r $d
