cat; read x; echo "read $?"; wc -c
