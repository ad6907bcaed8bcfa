sleep 1 & p=$!; kill $p; wait $p 2>/dev/null; echo $?; kill -0 $p 2>/dev/null || echo dead
