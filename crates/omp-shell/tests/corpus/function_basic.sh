f() { echo "$# $1"; return 3; }; f a b; echo $?; function g { echo g; }; g
