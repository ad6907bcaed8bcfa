(exit 1) | (exit 2) | (exit 3); echo "${PIPESTATUS[@]}" 
