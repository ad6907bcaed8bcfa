no_such_command_here 2>/dev/null; echo $?; / 2>/dev/null; echo $?; d=$(mktemp -d); echo x >$d/f; $d/f 2>/dev/null; echo $?; rm -r $d
