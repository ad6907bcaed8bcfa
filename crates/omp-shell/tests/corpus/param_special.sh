set -- a b "c d"; echo $# "$1" "$3" "$*" ; IFS=-; echo "$*"; printf '[%s]' "$@"; echo
