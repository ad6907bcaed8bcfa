{ echo o; echo e >&2; } 3>&1 1>&2 2>&3 3>&- 2>/dev/null
