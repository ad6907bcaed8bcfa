printf 'once\n' a b c; printf '100%%\n' x; printf -- 'dashes\n' y; printf '%s.' 1 2 3; echo; printf '\n'
