x=$(printf 'a\nb\n\n\n'); echo "[$x]"; y=`echo old`; echo $y; echo $(echo a; echo b)
