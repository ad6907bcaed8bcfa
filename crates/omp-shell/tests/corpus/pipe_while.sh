seq 3 | while read n; do echo "n=$n"; done; printf 'no newline' | while read -r l || [ -n "$l" ]; do echo "$l"; done
