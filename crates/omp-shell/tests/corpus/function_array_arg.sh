f() { local -a a=("$@"); echo ${#a[@]} "${a[1]}"; }; f x "y z"; f() { local -n r=$1; r=set; }; f out; echo $out
