printf 'a\0b\0' | while IFS= read -r -d '' x; do echo "<$x>"; done; read -n 3 c <<< abcdef; echo $c; read -d ';' s <<< 'one;two'; echo $s
