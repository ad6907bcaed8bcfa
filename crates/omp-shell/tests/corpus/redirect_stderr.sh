{ echo out; echo err >&2; } 2>&1 | sort; { echo x >&2; } 2>/dev/null; echo done
