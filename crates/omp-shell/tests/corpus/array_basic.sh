a=(one "two words" three); echo ${a[1]} ${#a[@]}; a+=(four); echo "${a[@]}"; a[7]=x; echo "${!a[@]}" 
