while read -r a b; do echo "$b $a"; done <<END
1 one
2 two three
END
