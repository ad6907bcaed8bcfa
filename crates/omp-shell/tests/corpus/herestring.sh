x="a b"; cat <<< "$x"; read -r p q <<< "$x"; echo "$q $p"; tr a-z A-Z <<< word
