declare -A m; m[one]=1; m["two words"]=2; echo ${m[one]} "${m[two words]}" ${#m[@]}; for k in "${!m[@]}"; do echo "$k"; done | sort; unset 'm[one]'; echo ${#m[@]}
