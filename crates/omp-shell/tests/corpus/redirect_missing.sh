{ cat </no/such/file; } 2>/dev/null; echo "status $?"; { cat </no/such/file; } 2>/dev/null || echo failed
