TIMEFORMAT=done; { time true; } 2>&1; { time -p :; } 2>/dev/null; echo $?
