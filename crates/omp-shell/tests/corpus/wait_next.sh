( sleep 0.05; exit 3 ) & wait -n; echo $?
