set -- a b c d e; echo "${@:2:2}" "${@: -1}" "${*:3}" ; shift 2; echo $1 $#
