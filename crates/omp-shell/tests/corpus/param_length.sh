v=hello; a=(1 2 3); echo ${#v} ${#a[@]} ${#a[0]}
