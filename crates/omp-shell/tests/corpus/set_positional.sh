set -- a b; set -- "$@" c; echo $# $3; set --; echo $#
