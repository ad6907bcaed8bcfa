d=$(mktemp -d); exec 3>$d/f; echo three >&3; exec 3>&-; cat $d/f; exec 4<$d/f; read -u 4 l; echo $l; exec 4<&-; rm -r $d
