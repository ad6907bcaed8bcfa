( exit 6 )
echo $?
