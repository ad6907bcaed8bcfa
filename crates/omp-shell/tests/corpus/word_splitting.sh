v="a  b   c"; printf '[%s]' $v; echo; printf '[%s]' "$v"; echo
