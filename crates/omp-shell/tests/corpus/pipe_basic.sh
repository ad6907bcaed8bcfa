printf '%s\n' c a b | sort | head -2
