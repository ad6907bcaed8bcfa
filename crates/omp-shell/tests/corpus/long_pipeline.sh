seq 1 100 | grep -v 5 | awk '{s+=$1} END {print s}' | tr -d '\n' | wc -c
