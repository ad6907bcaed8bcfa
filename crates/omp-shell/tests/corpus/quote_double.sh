x=1; echo "a  $x" "\$x" "\"q\"" "\\" "a\b" "`echo sub`" 
