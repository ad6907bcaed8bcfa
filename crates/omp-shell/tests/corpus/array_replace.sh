a=(apple banana); echo ${a[@]/a/X} ${a[@]#*a} ${a[@]^}
