( unset u; : "${u:?is missing}" ) 2>/dev/null; echo "status $?" 
