cat <(echo a) <(echo b); diff <(echo x) <(echo x) && echo same; while read l; do echo "<$l>"; done < <(printf '1\n2\n'); paste <(seq 2) <(seq 3 4)
