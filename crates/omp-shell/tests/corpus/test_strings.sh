[ -z "" ] && echo 1; [ -n x ] && echo 2; [ a = a ] && echo 3; [ a != b ] && echo 4; [ a \< b ] && echo 5; test "x y" = "x y"; echo $?
