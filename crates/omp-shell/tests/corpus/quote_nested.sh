x="a b"; echo "$(echo "$(echo "$x  c")")"
