read -ra words <<< "x y z"; echo ${#words[@]} ${words[1]}; IFS=, read -ra w <<< "p,q r,s"; echo "${w[1]}" 
