x=a; export x+=b; env | grep '^x='; export x+=c y+=d; echo "$x $y"; env | grep -c '^[xy]='
PATH=/bin:/usr/bin; export PATH+=:/opt/none; echo "$PATH"
f() { local z=1; export z+=2; echo "$z"; }; f; echo "${z-unset}"
export n=5; export n+=" 6"; bash -c 'echo "$n"' 2>/dev/null || sh -c 'echo "$n"'
