(exit 5) & wait $!; echo $?; sleep 0.05 & wait; echo $?
