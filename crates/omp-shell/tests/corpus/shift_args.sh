set -- 1 2 3; shift; echo $1; shift 2; echo "[$1]"; shift; echo $?
