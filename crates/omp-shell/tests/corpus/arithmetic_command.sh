if (( 3 > 2 )); then echo yes; fi; (( 0 )); echo $?; (( 1 )); echo $?; let 'a=2+3' b=a*2; echo $a $b
