d=$(mktemp -d); set -C; echo a >$d/f; { echo b >$d/f; } 2>/dev/null; echo $?; echo c >|$d/f; cat $d/f; rm -r $d
