d=$(mktemp -d); exec {fd}>$d/f; echo named >&$fd; exec {fd}>&-; cat $d/f; rm -r $d
