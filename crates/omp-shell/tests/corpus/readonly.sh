readonly r=1; ( r=2 ) 2>/dev/null; echo "$? $r" 
