shopt -s expand_aliases
alias hi='echo hello'
hi there
unalias hi
type hi >/dev/null 2>&1 || echo gone
