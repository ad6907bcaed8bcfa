echo abc | { read v; echo ${v^^}; } | cat; for i in 1 2; do echo $i; done | cat -n | tr -s ' \t' ' '
