declare -i n=2+3; echo $n; declare -u up=abc; echo $up; declare -l lo=ABC; echo $lo; declare -r c=1; declare -p c; declare -a arr=(1 2); declare -p arr
