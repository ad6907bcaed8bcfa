eval 'x=1; echo $x'; d=$(mktemp -d); echo 'y=2; echo "sourced $1"; return 5' >$d/s; . $d/s arg; echo "$? $y"; rm -r $d
