select x in a b; do echo $x; break; done </dev/null 2>/dev/null; echo "status $?" 
