a=(); [[ ${#a[@]} -eq 0 ]] && echo empty; a=(x); [[ -n ${a[0]} ]] && echo filled
