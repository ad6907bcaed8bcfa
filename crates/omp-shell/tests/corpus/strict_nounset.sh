set -u; x=1; echo $x ${y-default}; ( echo $missing; echo never ) 2>/dev/null; echo "status $?" 
