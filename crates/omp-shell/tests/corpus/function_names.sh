my-func() { echo dash; }; my-func; my.func() { echo dot; }; my.func; declare -f my-func >/dev/null && echo defined
