echo() { builtin echo "mine: $*"; }; echo hi; unset -f echo; echo plain; ls() { command printf 'ls %s\n' "$*"; }; ls x
