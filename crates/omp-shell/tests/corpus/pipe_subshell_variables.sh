x=1; echo 2 | read x; echo $x; echo a | { read y; echo "in $y"; }; echo "out [$y]" 
