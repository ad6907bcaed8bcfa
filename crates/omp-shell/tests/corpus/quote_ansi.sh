printf '%s|' $'a\tb' $'\x41\u00e9' $'q\'q' $'\101'; echo
