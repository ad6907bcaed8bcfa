read x </dev/null; echo $?; read x <<< ""; echo "$? [$x]" 
