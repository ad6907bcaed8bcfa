set -- "" '' a; echo $#; for w in "" b; do echo "[$w]"; done
