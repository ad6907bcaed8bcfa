a=($(printf '%s\n' x y z)); echo ${#a[@]} ${a[2]}; mapfile -t l < <(printf 'p q\nr\n'); echo ${#l[@]} "${l[0]}" 
