{ sh -c 'kill -TERM $$'; echo $?; sh -c 'kill -KILL $$'; echo $?; } 2>/dev/null; sh -c 'exit 300'; echo $?
