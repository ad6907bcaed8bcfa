( trap 'echo bye' EXIT; echo hi ); ( trap 'echo "code $?"' EXIT; exit 3 ); echo $?
