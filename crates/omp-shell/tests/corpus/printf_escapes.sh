printf 'a\tb\n'; printf '%b\n' 'x\ty'; printf '%q\n' "a b"; printf -v v '%03d' 7; echo $v; printf '\101\x42\n'
