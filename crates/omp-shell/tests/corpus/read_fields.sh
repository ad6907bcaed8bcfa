read a b c <<< "1 2 3 4"; echo "$c|$b|$a"; IFS=: read -r u _ uid <<< "root:x:0"; echo $u $uid; read -r line < <(printf 'a\\b\n'); echo "$line" 
