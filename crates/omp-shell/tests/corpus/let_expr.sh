i=5; let i++; let "i *= 2"; echo $i; expr 3 + 4; expr length hello
