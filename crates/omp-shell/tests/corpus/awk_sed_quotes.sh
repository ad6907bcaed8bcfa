printf 'a b\nc d\n' | awk '{print $2 "-" $1}'; echo "x/y" | sed 's/\//_/'; echo 'it'"'"'s' | sed "s/'/Q/" 
