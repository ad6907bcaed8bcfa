a=("x y" z); for i in "${a[@]}"; do echo "<$i>"; done; for i in "${!a[@]}"; do echo $i; done
