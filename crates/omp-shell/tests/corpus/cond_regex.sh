[[ "key=value" =~ ^([a-z]+)=(.*)$ ]] && echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"; re='^[0-9]+$'; [[ 123 =~ $re ]] && echo number; [[ 12a =~ $re ]] || echo no
