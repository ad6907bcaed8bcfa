for i in 1 2 3; do ( exit $i ) & p[$i]=$!; done; for i in 1 2 3; do wait ${p[$i]}; echo $?; done
