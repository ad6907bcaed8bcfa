A=1 B=2 sh -c 'echo $A$B'; f() { echo "[$A]"; }; A=3 f; echo "[${A-}]" 
